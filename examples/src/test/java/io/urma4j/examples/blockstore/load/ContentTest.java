package io.urma4j.examples.blockstore.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ContentTest {
    private final Content content = new Content(42);

    @Test
    void everyFlippedByteIsFound() {
        byte[] bytes = new byte[261]; // no multiple of a word
        MemorySegment segment = MemorySegment.ofArray(bytes);
        content.fill(segment, 7, 3);
        assertThat(content.mismatch(segment, 7, 3)).isEqualTo(-1);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= 1;
            assertThat(content.mismatch(segment, 7, 3)).as("byte " + i).isEqualTo(i < 256 ? i & -8 : i);
            bytes[i] ^= 1;
        }
    }

    @Test
    void blocksRevisionsAndSeedsHaveContentsOfTheirOwn() {
        MemorySegment segment = MemorySegment.ofArray(new byte[256]);
        content.fill(segment, 7, 3);

        assertThat(content.mismatch(segment, 7, 4)).isZero();
        assertThat(content.mismatch(segment, 8, 3)).isZero();
        assertThat(new Content(43).mismatch(segment, 7, 3)).isZero();
    }
}
