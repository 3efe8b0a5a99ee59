package io.urma4j.buffer;

import io.urma4j.UrmaException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The refused registrations of the last second of a {@link RegistrationCache}, the last {@value #MAX} at most. A device that
 * refuses takes milliseconds each time. Under the cache's lock.
 */
final class Refusals {
    private static final int MAX = 64;

    private final Deque<Refusal> recent = new ArrayDeque<>();
    private long count;

    private record Refusal(MemorySegment memory, UrmaException cause, long atNanos) {
        boolean isOf(MemorySegment other) {
            return memory.address() == other.address()
                    && memory.byteSize() == other.byteSize()
                    && memory.scope().equals(other.scope());
        }
    }

    /** How many there were ever, repeated ones included. */
    long count() {
        return count;
    }

    void add(MemorySegment memory, UrmaException cause, long nowNanos) {
        count++;
        if (recent.size() == MAX) {
            recent.removeFirst();
        }
        recent.addLast(new Refusal(memory, cause, nowNanos));
    }

    void throwIfRecent(MemorySegment memory, long nowNanos) {
        recent.removeIf(one -> nowNanos - one.atNanos >= RegistrationCache.REFUSAL_NANOS);
        for (Refusal one : recent) {
            if (one.isOf(memory)) {
                count++;
                throw new UrmaException(
                        one.cause.status(),
                        "RegistrationCache",
                        "registration was refused " + (nowNanos - one.atNanos) / 1_000_000 + " ms ago: "
                                + one.cause.getMessage(),
                        one.cause);
            }
        }
    }

    @Override
    public String toString() {
        return recent.size() + " recent refusals";
    }
}
