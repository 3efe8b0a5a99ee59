package io.urma4j.udma.control;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proofs of address: a greeting must repeat a number that was sent to its source address. So a forged source makes the home
 * keep no state, and send nothing longer than it received. There is no state per greeting: the cookie is recomputed from
 * the greeting and a secret. It is valid for one to two periods.
 */
final class Cookies {
    private static final long PERIOD_NANOS = 30_000_000_000L;
    private static final String ALGORITHM = "HmacSHA256";
    private static final long NONE = 0; // of a sender without a cookie

    private final Mac mac;

    /** With a secret of 32 random bytes. */
    Cookies(byte[] secret) {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    long cookie(PortAddress from, long incarnation, long life, long nowNanos) {
        return cookieOf(from, incarnation, life, Math.floorDiv(nowNanos, PERIOD_NANOS));
    }

    boolean isGood(long cookie, PortAddress from, long incarnation, long life, long nowNanos) {
        if (cookie == NONE) {
            return false; // without a look, which costs more than all else of a first greeting
        }
        long period = Math.floorDiv(nowNanos, PERIOD_NANOS);
        return cookie == cookieOf(from, incarnation, life, period)
                || cookie == cookieOf(from, incarnation, life, period - 1);
    }

    private long cookieOf(PortAddress from, long incarnation, long life, long period) {
        ByteBuffer said = ByteBuffer.allocate(5 * Long.BYTES + Integer.BYTES);
        said.putLong(from.eid().high()).putLong(from.eid().low()).putInt(from.udpPort());
        said.putLong(incarnation).putLong(life).putLong(period);
        mac.update(said.flip());
        long cookie = ByteBuffer.wrap(mac.doFinal()).getLong();
        return cookie == NONE ? 1 : cookie;
    }
}
