package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A ring of messages of one size by hand, and no more than that: the sender copies into it, the receiver out of it.
 *
 * <p>A slot's first word says that it is filled, by the number of its message; so the receiver looks at nothing else. How
 * far the receiver is it says now and then, in a line that the sender looks at when the ring seems full.
 */
final class RawStream implements MessageStream {
    /** Size of the memory that both ends share, whatever the size of the messages. */
    static final long SHARED_BYTES = 2 << 20;

    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final long TAKEN = 0;
    private static final long FIRST_SLOT = 128; // two lines on: CPUs prefetch lines in pairs
    private static final long RING_BYTES = 1 << 20;
    private static final long LINE_BYTES = 64;

    private final MemorySegment ring;
    private final MemorySegment messages;
    private final int bytes;
    private final int places;
    private final long strideBytes;
    private final int slots;
    private long position; // the last message that was sent or taken
    private long taken; // as the sender has seen it last

    /**
     * An end.
     *
     * @param ring shared, zero
     * @param places how many messages of {@code bytes} have memory of their own at either end
     */
    RawStream(MemorySegment ring, int bytes, int places) {
        this.ring = ring;
        this.bytes = bytes;
        this.places = places;
        this.strideBytes = Long.BYTES + bytes + LINE_BYTES - 1 & -LINE_BYTES;
        this.slots = Integer.highestOneBit((int) (RING_BYTES / strideBytes));
        this.messages = Arena.ofShared().allocate((long) bytes * places, LINE_BYTES);
    }

    @Override
    public void send(int count) {
        for (int i = 0; i < count; i++) {
            long number = position + 1;
            long from = place(number);
            messages.set(JAVA_LONG, from, number);
            put(number, number, from);
        }
        awaitTaken(position);
    }

    @Override
    public void stop() {
        put(position + 1, Rally.STOP, 0);
        awaitTaken(position);
    }

    private void put(long number, long said, long from) {
        if (number - taken > slots) {
            awaitTaken(number - slots);
        }
        long slot = slot(number);
        MemorySegment.copy(messages, from, ring, slot + Long.BYTES, bytes);
        U64.setRelease(ring, slot, said);
        position = number;
    }

    private void awaitTaken(long number) {
        while (taken < number) {
            taken = (long) U64.getAcquire(ring, TAKEN);
            Thread.onSpinWait();
        }
    }

    @Override
    public void takeAll() {
        while (true) {
            long number = position + 1;
            long slot = slot(number);
            long said = (long) U64.getAcquire(ring, slot);
            if (said == Rally.STOP) {
                U64.setRelease(ring, slot, 0L); // it says stop no more
                U64.setRelease(ring, TAKEN, number);
                position = number;
                return;
            }
            if (said != number) {
                U64.setRelease(ring, TAKEN, position); // there is time to say it
                Thread.onSpinWait();
                continue;
            }
            long to = place(number);
            MemorySegment.copy(ring, slot + Long.BYTES, messages, to, bytes);
            if (messages.get(JAVA_LONG, to) != number) {
                throw new IllegalStateException("message " + number + " says " + messages.get(JAVA_LONG, to));
            }
            position = number;
            if ((number & (slots >> 3) - 1) == 0) {
                U64.setRelease(ring, TAKEN, number);
            }
        }
    }

    private long slot(long number) {
        return FIRST_SLOT + (number & slots - 1) * strideBytes;
    }

    private long place(long number) {
        return number % places * bytes;
    }
}
