package io.urma4j.examples.blockstore.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SlotHeaderTest {
    private static final SlotHeader HEADER = new SlotHeader(7, Long.MAX_VALUE, 4096, -5);

    @Test
    void aHeaderIsReadAsItWasWritten() {
        assertThat(HEADER.toBytes().remaining()).isEqualTo(SlotHeader.BYTES);
        assertThat(SlotHeader.read(HEADER.toBytes())).contains(HEADER);
    }

    @Test
    void aHeaderOfWhichAnyBitDiffersIsNone() {
        for (int bit = 0; bit < 8 * 32; bit++) { // the rest is not used
            ByteBuffer bytes = HEADER.toBytes();
            bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ (1 << (bit % 8))));
            assertThat(SlotHeader.read(bytes)).as("bit " + bit).isEmpty();
        }
    }

    @Test
    void emptyAndShortBytesAreNoHeader() {
        assertThat(SlotHeader.read(ByteBuffer.allocate(SlotHeader.BYTES))).isEmpty();
        assertThat(SlotHeader.read(ByteBuffer.allocate(0))).isEmpty();
    }
}
