package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The two words of a window, and the race that its fences decide. */
@Timeout(60)
class WindowTableTest {
    private static final int SLOT = 5;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment generations = arena.allocate(WindowTable.BYTES, 64);
    private final MemorySegment operations = arena.allocate(WindowTable.BYTES, 64);

    @Test
    void aSlotIsBusyFromTheFirstOperationToTheLast() {
        assertThat(WindowTable.isBusy(operations, SLOT)).isFalse();
        WindowTable.begin(operations, SLOT);
        WindowTable.begin(operations, SLOT);
        WindowTable.end(operations, SLOT);
        assertThat(WindowTable.isBusy(operations, SLOT)).isTrue();
        assertThat(WindowTable.isBusy(operations, SLOT + 1)).isFalse();
        assertThat(WindowTable.isBusy(operations, SLOT - 1)).isFalse();
        WindowTable.end(operations, SLOT);
        assertThat(WindowTable.isBusy(operations, SLOT)).isFalse();
    }

    /**
     * The home ends the window while an operation begins, again and again at the same moment: it must not happen that the
     * home sees no operation and the operation sees a window. Without either full fence a CPU may load before its own
     * store is visible, and both happen.
     */
    @Test
    void noOperationBeginsUnseenByTheHomeThatEndsTheWindow() throws Exception {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger finished = new AtomicInteger();
        boolean[] began = new boolean[1];
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        Thread importer = Thread.ofPlatform().daemon().start(() -> {
            for (int round = 1; ; round++) {
                while (started.get() < round) {
                    Thread.onSpinWait();
                }
                if (started.get() == Integer.MAX_VALUE) {
                    return;
                }
                WindowTable.begin(operations, SLOT);
                began[0] = WindowTable.generation(generations, SLOT) == round - 1;
                finished.set(round);
            }
        });
        int both = 0;
        int round = 0;
        while (both == 0 && System.nanoTime() - end < 0) {
            round++;
            started.set(round);
            spin(round & 63);
            WindowTable.setGeneration(generations, SLOT, round);
            boolean busy = WindowTable.isBusy(operations, SLOT);
            while (finished.get() < round) {
                Thread.onSpinWait();
            }
            WindowTable.end(operations, SLOT);
            both += began[0] && !busy ? 1 : 0;
        }
        started.set(Integer.MAX_VALUE);
        importer.join();
        arena.close();

        System.out.println("WindowTableTest: " + round + " rounds");
        assertThat(both)
                .as("rounds in which neither saw the other, of %d", round)
                .isZero();
    }

    /** Lets the two meet at each step of their ways. */
    private static void spin(int turns) {
        for (int i = 0; i < turns; i++) {
            Thread.onSpinWait();
        }
    }
}
