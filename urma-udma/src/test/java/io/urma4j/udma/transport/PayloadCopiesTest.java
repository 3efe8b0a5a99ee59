package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import org.junit.jupiter.api.Test;

/** Which packets carry a copy of their payload. */
class PayloadCopiesTest {
    private final Packet packet = new Packet(NativeMemory.allocate(Packet.MAX_ROCE_BYTES), true);
    private final PayloadCopies copies = new PayloadCopies();

    private boolean mayRefer(boolean isRepeated) {
        packet.begin(Opcodes.RC | Opcodes.READ_RESPONSE_MIDDLE, 7, 1);
        copies.prepare(packet, isRepeated);
        return packet.mayRefer(Packet.MIN_REFERRED_BYTES);
    }

    /** How many copies there are, until the first packet that is none. */
    private int copiesNow() {
        int count = 0;
        while (count <= PayloadCopies.MOST && !mayRefer(false)) {
            count++;
        }
        return count;
    }

    private void repeats(int packets) {
        for (int i = 0; i < packets; i++) {
            assertThat(mayRefer(true)).isFalse();
        }
    }

    @Test
    void aRepeatedPacketIsACopyAndTheNextIsNone() {
        assertThat(copiesNow()).isZero();
        repeats(1);
        assertThat(copiesNow()).isZero();
    }

    @Test
    void manyThatAreRepeatedMakeTheNextCopies() {
        repeats(68);
        assertThat(copiesNow()).isEqualTo(68 * PayloadCopies.PER_REPEATED - PayloadCopies.TOLERATED);
        assertThat(copiesNow()).isZero();
        repeats(10_000);
        assertThat(copiesNow()).as("at most").isEqualTo(PayloadCopies.MOST - PayloadCopies.TOLERATED);
    }

    @Test
    void aNetworkThatLosesAPacketNowAndThenCausesNoOtherCopies() {
        for (int i = 0; i < 10_000; i++) {
            repeats(i % 50 == 0 ? 1 : 0);
            assertThat(mayRefer(false)).as("packet %d", i).isTrue();
        }
    }
}
