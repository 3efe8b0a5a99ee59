package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * S14.7, S14.8, S14.9: random leases, handles, views and operations of one block against counts. {@code -Durma.seed=N} replays a
 * run.
 */
class OwnershipModelTest {
    private static final int STEPS = Boolean.getBoolean("urma.full") ? 10_000_000 : 300_000;
    private static final int STALE_VIEWS = 32;
    private static final long SEED =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final List<RdmaBuf> open = new ArrayList<>();
    private final List<RdmaBuf> closed = new ArrayList<>();
    private final List<BufView> live = new ArrayList<>();
    private final List<BufView> stale = new ArrayList<>();
    private int holds;
    private int leases;
    private int returned;

    @Test
    void memoryReturnsExactlyWhenHandlesAndOperationsAreGone() {
        try (Arena arena = Arena.ofShared()) {
            Block block = new Block(arena.allocate(64, 8), List.of(), _ -> returned++);
            for (int step = 0; step < STEPS; step++) {
                try {
                    step(block);
                    check();
                } catch (AssertionError | UrmaException e) {
                    throw new AssertionError("step " + step + " of " + block + "; replay with -Durma.seed=" + SEED, e);
                }
            }
            assertThat(leases).isGreaterThan(STEPS / 100);
        }
    }

    private void step(Block block) {
        if (open.isEmpty()) {
            endLeaseOrBegin(block);
            return;
        }
        RdmaBuf handle = open.get(random.nextInt(open.size()));
        switch (random.nextInt(8)) {
            case 0 -> open.add(handle.retain());
            case 1, 2 -> {
                open.remove(handle);
                handle.close();
                closed.add(handle);
                if (open.isEmpty()) {
                    stale.addAll(live);
                    live.clear();
                }
            }
            case 3 -> {
                if (live.size() < STALE_VIEWS) {
                    live.add(handle.view().first(random.nextInt(65)));
                }
            }
            case 4 -> {
                handle.view().hold();
                holds++;
            }
            case 5 -> {
                if (holds > 0) {
                    holds--;
                    block.unhold();
                }
            }
            case 6 -> {
                if (!closed.isEmpty()) {
                    closed.get(random.nextInt(closed.size())).close(); // once more
                }
            }
            default -> handle.view().putLong(0, leases);
        }
    }

    private void endLeaseOrBegin(Block block) {
        if (holds > 0) {
            holds--;
            block.unhold();
            return;
        }
        open.add(RdmaBuf.lease(block, 0, 64, LeakDetector.OFF));
        leases++;
        open.getFirst().view().putLong(0, leases);
        closed.clear();
        while (stale.size() > STALE_VIEWS) {
            stale.remove(random.nextInt(stale.size()));
        }
    }

    private void check() {
        boolean isReturned = open.isEmpty() && holds == 0;
        assertThat(returned).isEqualTo(isReturned ? leases : leases - 1);
        if (!live.isEmpty()) {
            BufView view = live.get(random.nextInt(live.size()));
            assertThat(view.isValid()).isTrue();
            assertThat(view.size() < Long.BYTES ? leases : view.getLong(0)).isEqualTo(leases);
        }
        if (!stale.isEmpty()) {
            BufView view = stale.get(random.nextInt(stale.size()));
            assertThat(view.isValid()).isFalse();
            try {
                throw new AssertionError("a stale view has " + view.getLong(0));
            } catch (UrmaException e) {
                assertThat(e.reason()).isEqualTo("is closed");
            }
        }
    }
}
