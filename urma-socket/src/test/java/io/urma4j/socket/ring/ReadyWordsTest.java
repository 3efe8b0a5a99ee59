package io.urma4j.socket.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ReadyWordsTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(ReadyWords.LENGTH_BYTES, 128);
    private final ReadyWords words = new ReadyWords(memory);
    private final ReadyWords peer = new ReadyWords(memory);

    private List<Integer> marked(int set) {
        List<Integer> rings = new ArrayList<>();
        words.clear(set, rings::add);
        return rings;
    }

    @Test
    void eachMarkIsSeenOnce() {
        int set = words.take();
        List<Integer> rings = List.of(0, 1, 63, 64, 4095, 4096, 12_345, ReadyWords.MAX_RINGS - 1);
        for (int ring : rings) {
            assertThat(peer.mark(set, ring)).isFalse();
            assertThat(peer.mark(set, ring)).isFalse();
        }

        assertThat(words.hasMarks(set)).isTrue();
        assertThat(marked(set)).containsExactlyElementsOf(rings);
        assertThat(words.hasMarks(set)).isFalse();
        assertThat(marked(set)).isEmpty();
    }

    @Test
    void aMarkReachesItsOwnSelectorAlone() {
        int first = words.take();
        int second = words.take();
        peer.mark(second, 5);

        assertThat(marked(first)).isEmpty();
        assertThat(marked(second)).containsExactly(5);
    }

    @Test
    void onlyASelectorThatSleepsIsToBeWoken() {
        int set = words.take();
        words.store(set, true);
        assertThat(peer.mark(set, 3)).isTrue();
        assertThat(peer.mark(set, 4))
                .as("the doorbell of another may come late")
                .isTrue();
        words.store(set, false);
        assertThat(peer.mark(set, 5)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 64, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void anImpossibleSetMeansADoorbell(int set) {
        assertThat(peer.mark(set, 0)).isTrue();
    }

    @Test
    void beyondThe64thSelectorThereIsNone() {
        for (int i = 0; i < 64; i++) {
            assertThat(words.take()).isEqualTo(i);
        }
        assertThat(words.take()).isEqualTo(ReadyWords.NONE);
        words.giveBack(7);
        assertThat(words.take()).isEqualTo(7);
    }

    @Test
    void marksOfSeveralThreadsAreAllSeen() {
        int set = words.take();
        int threads = 4;
        int marks = 20_000;
        CompletableFuture<?>[] marking = new CompletableFuture<?>[threads];
        for (int i = 0; i < threads; i++) {
            int thread = i;
            marking[i] = CompletableFuture.runAsync(() -> {
                for (int mark = 0; mark < marks; mark++) {
                    peer.mark(set, thread * 1000 + mark % 1000);
                }
            });
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(marking);
        boolean[] seen = new boolean[ReadyWords.MAX_RINGS];
        while (!all.isDone() || words.hasMarks(set)) {
            words.clear(set, ring -> seen[ring] = true);
        }
        all.join();
        for (int ring = 0; ring < threads * 1000; ring++) {
            assertThat(seen[ring]).as("ring %d", ring).isTrue();
        }
    }
}
