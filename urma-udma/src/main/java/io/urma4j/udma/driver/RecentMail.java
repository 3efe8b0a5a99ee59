package io.urma4j.udma.driver;

import io.urma4j.Eid;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Detects control datagrams that were received a moment ago, byte for byte: handling one costs as much as some dozens of
 * packets, and handling it twice has no further effect. A requester waits longer than that before it retransmits, and it
 * retransmits if an answer is lost.
 *
 * <p>A datagram that was evicted from the cache is merely handled twice. For one thread at a time.
 */
final class RecentMail {
    /** Shorter than the minimum retransmission interval of 30 ms. */
    static final long MOMENT_NANOS = 10_000_000;

    private static final int PLACES = 256;

    private final @Nullable Known[] places = new Known[PLACES];
    private final CRC32 crc = new CRC32();
    private long again;

    private record Known(Eid source, ByteBuffer datagram, long nanos) {}

    /** Whether the same datagram came from there a moment ago; otherwise it is cached, and its bytes must not change. */
    boolean hasCome(Eid source, ByteBuffer datagram, long nowNanos) {
        int place = place(datagram);
        Known last = places[place];
        if (last != null
                && nowNanos - last.nanos < MOMENT_NANOS
                && last.source.equals(source)
                && last.datagram.equals(datagram)) {
            again++;
            return true;
        }
        places[place] = new Known(source, datagram, nowNanos);
        return false;
    }

    /** The number of detected replays; other threads may read a slightly old value. */
    long again() {
        return again;
    }

    private int place(ByteBuffer datagram) {
        crc.reset();
        crc.update(datagram.duplicate());
        return (int) crc.getValue() & PLACES - 1;
    }
}
