package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Slabs of plain memory. A test can refuse some, and sees how much memory there is. */
final class PlainSlabs {
    private final AtomicLong liveBytes = new AtomicLong();
    private final AtomicLong mostBytes = new AtomicLong();
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile @Nullable CountDownLatch importer;
    private volatile @Nullable CountDownLatch driver;
    private final AtomicInteger unfreeable = new AtomicInteger();

    SlabMemory make(long lengthBytes) {
        if (isDue(refusals)) {
            throw new UrmaException(UrmaStatus.ENOMEM, "slabs", "refused " + lengthBytes + " bytes");
        }
        Arena arena = Arena.ofShared();
        mostBytes.accumulateAndGet(liveBytes.addAndGet(lengthBytes), Math::max);
        MemorySegment memory = arena.allocate(lengthBytes, SizeClasses.PAGE_BYTES);
        return new SlabMemory(memory, List.of(), Access.LOCAL_ONLY, null, () -> importer != null, () -> {
            await(importer);
            await(driver);
            if (isDue(unfreeable)) {
                throw new UrmaException(UrmaStatus.EAGAIN, "slabs", "cannot be freed now");
            }
            arena.close();
            liveBytes.addAndGet(-lengthBytes);
        });
    }

    private static void await(@Nullable CountDownLatch answer) {
        if (answer != null) {
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** From now on a peer imports each slab, and does not answer before the latch. */
    void importEach(CountDownLatch answer) {
        importer = answer;
    }

    /** From now on each free waits for the latch, though no peer imports the slab. */
    void delayFrees(CountDownLatch end) {
        driver = end;
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
