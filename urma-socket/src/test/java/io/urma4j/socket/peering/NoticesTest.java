package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoticesTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(Notices.LENGTH_BYTES, Long.BYTES);
    private final Notices notices = new Notices(memory);

    private void store(int count, int ring) {
        memory.set(ValueLayout.JAVA_LONG, Notices.at(count), Notices.word(count, ring));
    }

    private List<Integer> taken() {
        List<Integer> rings = new ArrayList<>();
        notices.take(rings::add);
        return rings;
    }

    @Test
    void eachIsTakenOnceInItsOrder() {
        assertThat(taken()).isEmpty();
        store(1, 7);
        store(2, 0);
        assertThat(taken()).containsExactly(7, 0);
        assertThat(taken()).isEmpty();
    }

    @Test
    void whatCameBeforeItsPredecessorWaits() {
        store(2, 9);
        assertThat(taken()).isEmpty();
        store(1, 8);
        assertThat(taken()).containsExactly(8, 9);
    }

    @Test
    void wordsAreUsedAgain() {
        for (int count = 1; count <= 3 * Notices.LENGTH_BYTES / Long.BYTES; count++) {
            store(count, count);
            assertThat(taken()).containsExactly(count);
        }
    }

    @Test
    void aPeerThatFillsAllWordsIsReadForATimeOnly() {
        int words = (int) (Notices.LENGTH_BYTES / Long.BYTES);
        for (int count = 1; count <= words; count++) {
            store(count, Integer.MAX_VALUE - count);
        }
        assertThat(taken()).hasSize(words);
        assertThat(taken()).isEmpty();
    }
}
