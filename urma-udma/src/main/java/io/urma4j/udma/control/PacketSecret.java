package io.urma4j.udma.control;

import io.urma4j.udma.wire.IpHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;

/**
 * The secret that two urma4j peers mix into the ICRC of each packet of their connections (docs/wire-extensions.md). It is a
 * digest of the tags that each has chosen for the other in the greeting, which both know. The digest is one-way: packets
 * reveal something about the secret, but nothing about the tags, which authenticate the control plane.
 */
final class PacketSecret {
    /** Feature of a greeting: this end mixes the secret in if the other does. Added to those of the core. */
    static final long FEATURE = 1L << 32;

    private static final byte[] PURPOSE = "urma4j packet secret".getBytes(StandardCharsets.US_ASCII);

    private PacketSecret() {}

    /** A random tag for a greeting with these features: its lowest bit says whether the sender supports a secret. */
    static long tag(long random, long features) {
        return (features & FEATURE) != 0 ? random | 1 : random & ~1L;
    }

    /** Whether tag and features agree. An attacker on the path could change the features alone. */
    static boolean isMeant(long tag, long features) {
        return tag == tag(tag, features);
    }

    /** Symmetric in the two tags, so both ends compute the same secret. */
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
