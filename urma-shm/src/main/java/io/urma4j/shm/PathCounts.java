package io.urma4j.shm;

import io.urma4j.Counters;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.shm.ring.RingSender;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a path counts beside its rings, which count their slots: rare things alone, so that a short message costs nothing more.
 * The thread that holds the claim to send writes; others read values that may be a little old.
 */
final class PathCounts {
    private long laterChunks; // slots that continue a message
    private long ringFull;
    private long fullAt = -1; // where the ring was full last
    private final AtomicLong wakeUps = new AtomicLong(); // of all threads

    /** A slot was filled that continues a message. */
    void laterChunk() {
        laterChunks++;
    }

    /** The ring has no room at that position. Only the first sender to find it so counts, and it but once. */
    void full(long position) {
        ringFull += position == fullAt ? 0 : 1;
        fullAt = position;
    }

    /** The peer slept and is woken. */
    void wakeUp() {
        wakeUps.getAndIncrement();
    }

    /** All of it, with what the rings have counted. */
    Counters counters(RingSender out, RingReceiver in, long laterChunksReceived) {
        long sent = out.position();
        long received = in.position();
        return Counters.builder()
                .add("sent", sent - laterChunks)
                .add("received", received - laterChunksReceived)
                .add("slotsSent", sent)
                .add("slotsReceived", received)
                .add("inFlight", Math.max(0, sent - out.reaped()))
                .add("ringFull", ringFull)
                .add("wakeUps", wakeUps.get())
                .build();
    }
}
