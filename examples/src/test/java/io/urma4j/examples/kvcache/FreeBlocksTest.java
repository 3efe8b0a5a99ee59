package io.urma4j.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreeBlocksTest {
    private final FreeBlocks free = new FreeBlocks(10, 1);
    private final Request request = new Request();

    private int[] taken(int count) {
        free.take(request, count);
        return Arrays.copyOf(request.blocks, request.count);
    }

    @Test
    void noBlockIsTakenTwice() {
        Set<Integer> all = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            for (int block : taken(2)) {
                assertThat(all.add(block)).as("block " + block).isTrue();
            }
        }
        assertThat(all).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(free.count()).isZero();
        assertThat(free.requests()).isEqualTo(5);
    }

    @Test
    void blocksComeBackOnceAndGetAnotherGeneration() {
        taken(10);
        int number = request.number;
        assertThat(request.generations).startsWith(1, 1, 1);

        assertThat(free.giveBack(number)).isTrue();
        assertThat(free.giveBack(number)).isFalse();
        assertThat(free.giveBack(number + 1)).isFalse();
        assertThat(free.count()).isEqualTo(10);

        taken(10);
        assertThat(request.generations).startsWith(2, 2, 2);
        assertThat(request.number).isNotEqualTo(number);
    }
}
