package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A chunk goes back to its source once for each lease, whether that began or not. */
class ChunkTest {
    private static final int BYTES = 4096;

    private final List<Chunk> returned = new ArrayList<>();
    private final Chunk chunk = new Chunk(slab(), 0, -1, returned::add);

    private static Slab slab() {
        SlabMemory memory = new SlabMemory(
                Arena.ofAuto().allocate(BYTES), List.of(), Access.LOCAL_ONLY, null, () -> false, () -> {});
        SlabBudget budget = new SlabBudget(SizeClasses.single(BYTES), BYTES, 0, null, _ -> {});
        return new Slab(budget, memory, new SlabOrder(0, BYTES, BYTES), -1, _ -> {});
    }

    @Test
    void aLeaseThatEndsGivesItBack() {
        chunk.lease(100, LeakDetector.OFF).close();
        assertThat(returned).containsExactly(chunk);
    }

    /** A detector that fails stands for whatever fails once the lease has begun, such as a lack of heap. */
    @Test
    @SuppressWarnings("NullAway")
    void aLeaseThatFailsGivesItBackOnce() {
        assertThatThrownBy(() -> chunk.lease(100, null)).isInstanceOf(NullPointerException.class);
        assertThat(returned).containsExactly(chunk);

        chunk.lease(100, LeakDetector.OFF).close();
        assertThat(returned).containsExactly(chunk, chunk);
    }
}
