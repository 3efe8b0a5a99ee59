package io.urma4j.udma.driver;

import io.urma4j.Eid;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Knows control datagrams again that came a moment ago, word for word: seeing to one costs as much as some dozens of packets,
 * and seeing to it twice does nothing that once did not. Whoever waits for an answer waits longer than that before he asks
 * again, and an answer that is lost is asked for again.
 *
 * <p>What it has forgotten, since another took its place, is merely seen to twice. For one thread at a time.
 */
final class RecentMail {
    /** Less than anybody waits before he says the same again: 30 ms. */
    static final long MOMENT_NANOS = 10_000_000;

    private static final int PLACES = 256;

    private final @Nullable Known[] places = new Known[PLACES];
    private final CRC32 crc = new CRC32();
    private long again;

    private record Known(Eid source, ByteBuffer datagram, long nanos) {}

    /** Whether the same came from there a moment ago; else it is known from now on, and its bytes stay as they are. */
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

    /** How many it knew again; others read a value that may be a little old. */
    long again() {
        return again;
    }

    private int place(ByteBuffer datagram) {
        crc.reset();
        crc.update(datagram.duplicate());
        return (int) crc.getValue() & PLACES - 1;
    }
}
