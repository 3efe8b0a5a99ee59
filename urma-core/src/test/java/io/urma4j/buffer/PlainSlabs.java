package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Slabs of plain memory. A test can refuse some, and sees how much memory there is. */
final class PlainSlabs implements SlabSource {
    private final AtomicLong liveBytes = new AtomicLong();
    private final AtomicLong mostBytes = new AtomicLong();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger unfreeable = new AtomicInteger();

    @Override
    public SlabMemory make(long lengthBytes) {
        if (isDue(refusals)) {
            throw new UrmaException(UrmaStatus.ENOMEM, "slabs", "refused " + lengthBytes + " bytes");
        }
        Arena arena = Arena.ofShared();
        mostBytes.accumulateAndGet(liveBytes.addAndGet(lengthBytes), Math::max);
        return new SlabMemory(arena.allocate(lengthBytes, SizeClasses.PAGE_BYTES), List.of(), Access.LOCAL_ONLY, () -> {
            if (isDue(unfreeable)) {
                throw new UrmaException(UrmaStatus.EAGAIN, "slabs", "cannot be freed now");
            }
            arena.close();
            liveBytes.addAndGet(-lengthBytes);
        });
    }

    private static boolean isDue(AtomicInteger count) {
        return count.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    /** Refuses the next slabs. */
    void refuseNext(int count) {
        refusals.set(count);
    }

    /** Fails to free the next slabs. */
    void failToFreeNext(int count) {
        unfreeable.set(count);
    }

    long liveBytes() {
        return liveBytes.get();
    }

    /** The most that there ever was. */
    long mostBytes() {
        return mostBytes.get();
    }
}
