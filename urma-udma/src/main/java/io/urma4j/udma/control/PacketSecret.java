package io.urma4j.udma.control;

import io.urma4j.udma.wire.IpHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;

/**
 * What two peers of urma4j mix into the ICRC of each packet of their connections (docs/wire-extensions.md): a digest of the
 * tags that each has chosen for the other when they greeted. Both know both tags as soon as they are peers. The digest works
 * one way: packets tell something of the secret to who sees them, and nothing of the tags, which open the control plane.
 */
final class PacketSecret {
    /** Feature of a greeting: this end mixes it in, if the other does. Beyond those of the core. */
    static final long FEATURE = 1L << 32;

    private static final byte[] PURPOSE = "urma4j packet secret".getBytes(StandardCharsets.US_ASCII);

    private PacketSecret() {}

    /** A random tag as one has it that greets with these features: its lowest bit tells whether it mixes a secret in. */
    static long tag(long random, long features) {
        return (features & FEATURE) != 0 ? random | 1 : random & ~1L;
    }

    /** Whether tag and features say the same. The features alone could be changed on their way. */
    static boolean isMeant(long tag, long features) {
        return tag == tag(tag, features);
    }

    /** The same for both ends, whichever tag each calls its own. */
    static long of(long oneTag, long otherTag) {
        boolean isInOrder = Long.compareUnsigned(oneTag, otherTag) <= 0;
        ByteBuffer said = ByteBuffer.allocate(PURPOSE.length + 2 * Long.BYTES).put(PURPOSE);
        said.putLong(isInOrder ? oneTag : otherTag).putLong(isInOrder ? otherTag : oneTag);
        try {
            long secret = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(said.array()))
                    .getLong();
            return secret == IpHeaders.NO_SECRET ? 0 : secret;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
