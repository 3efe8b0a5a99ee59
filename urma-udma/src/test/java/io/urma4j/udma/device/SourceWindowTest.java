package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WqeRange;
import org.junit.jupiter.api.Test;

/** The fragments that a connection holds for what it sends from device memory. */
class SourceWindowTest {
    private static final int REGION = 7;
    private static final int BLOCK_BYTES = 4096;

    private long nanos;
    private final SlowCopies copies = new SlowCopies(() -> nanos, 64, 1);
    private final SourceWindow window = new SourceWindow(copies);
    private final NativeMemory range = NativeMemory.allocate(128);
    private final RangeParts part = new RangeParts();
    private final CopyWaiter transfer = () -> {};

    SourceWindowTest() {
        copies.region(REGION, 1 << 20);
    }

    private void fetch(CopyWaiter of, long position) {
        WqeRange.put(range, 0, 0, REGION, BLOCK_BYTES, position * BLOCK_BYTES);
        part.begin(range, 0, 1, 0, BLOCK_BYTES);
        assertThat(part.next()).isTrue();
        window.beginPacket(of, position, part);
        window.fetch(of, position, part, REGION, part.rangeOffset());
    }

    @Test
    void aMessageWithoutBytesWaitsForNone() {
        Payloads payloads = new Payloads(new KeyTable(connection -> connection, new Host(1, 4096), 8), copies, range);
        fetch(transfer, 0);
        assertThat(window.awaits(transfer))
                .as("whether the bytes of another are awaited")
                .isTrue();

        assertThat(payloads.awaits(window, () -> {}, 0, 0, 0, 0)).isFalse();
    }

    @Test
    void whatThePeerHasKeepsNoFragment() {
        for (int position = 0; position < 4; position++) {
            fetch(transfer, position);
        }
        assertThat(copies.inUse()).isEqualTo(4);
        nanos = 1_000_000_000;
        copies.poll(); // all have ended

        window.forget(transfer, 1);
        assertThat(copies.inUse()).as("after the acknowledgement of one").isEqualTo(3);
        window.forget(transfer, 1);
        window.forget(() -> {}, 2);
        assertThat(copies.inUse()).as("after one of another request").isEqualTo(3);

        window.forget(transfer);
        assertThat(copies.inUse()).isZero();
    }
}
