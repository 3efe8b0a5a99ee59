package io.urma4j.examples.kvcache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class BlockContentTest {
    private final MemorySegment bytes = MemorySegment.ofArray(new byte[4096]);

    @Test
    void contentIsThatOfItsLayerBlockAndGeneration() {
        BlockContent.fill(bytes, 3, 17, 5);

        assertThat(BlockContent.mismatch(bytes, 3, 17, 5)).isEqualTo(-1);
        assertThat(BlockContent.mismatch(bytes, 4, 17, 5)).isZero();
        assertThat(BlockContent.mismatch(bytes, 3, 18, 5)).isZero();
        assertThat(BlockContent.mismatch(bytes, 3, 17, 4)).isZero();
    }

    @Test
    void tornBlockIsFoundWhereItBegins() {
        BlockContent.fill(bytes, 3, 17, 4);
        BlockContent.fill(bytes.asSlice(0, 2048), 3, 17, 5);

        assertThat(BlockContent.mismatch(bytes, 3, 17, 5)).isEqualTo(2048);
    }

    @Test
    void oneWrongByteIsFound() {
        BlockContent.fill(bytes, 0, 0, 1);
        bytes.set(JAVA_BYTE, 4095, (byte) ~bytes.get(JAVA_BYTE, 4095));

        assertThat(BlockContent.mismatch(bytes, 0, 0, 1)).isEqualTo(4088);
    }
}
