package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** Which packets carry a copy of their payload. */
class PayloadCopiesTest {
    private final Packet packet = new Packet(Arena.ofAuto().allocate(Packet.MAX_ROCE_BYTES, 64), true);
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

    @Test
    void aRepeatedPacketIsACopyAndSoAreSomeAfterIt() {
        assertThat(copiesNow()).isZero();
        assertThat(mayRefer(true)).isFalse();
        assertThat(copiesNow()).isEqualTo(PayloadCopies.LEAST);
        assertThat(copiesNow()).isZero();
    }

    @Test
    void packetsThatAreRepeatedTogetherCountAsOne() {
        for (int i = 0; i < 68; i++) {
            assertThat(mayRefer(true)).isFalse();
        }
        assertThat(copiesNow()).isEqualTo(PayloadCopies.LEAST);
    }

    @Test
    void thereAreTwiceAsManyIfTheNextIsRepeatedToo() {
        for (int run = PayloadCopies.LEAST; run < PayloadCopies.MOST; run *= 2) {
            mayRefer(true);
            assertThat(copiesNow()).isEqualTo(run);
        }
        for (int i = 0; i < 3; i++) {
            mayRefer(true);
            assertThat(copiesNow()).isEqualTo(PayloadCopies.MOST);
        }
    }

    @Test
    void asManyOthersThatArriveMakeItForgetThat() {
        mayRefer(true);
        copiesNow();
        mayRefer(true);
        assertThat(copiesNow()).isEqualTo(2 * PayloadCopies.LEAST);
        for (int i = 2; i < 2 * PayloadCopies.LEAST; i++) {
            assertThat(mayRefer(false)).isTrue();
        }
        mayRefer(true);
        assertThat(copiesNow()).as("before as many").isEqualTo(4 * PayloadCopies.LEAST);
        for (int i = 1; i < 4 * PayloadCopies.LEAST; i++) {
            assertThat(mayRefer(false)).isTrue();
        }
        mayRefer(true);
        assertThat(copiesNow()).as("after as many").isEqualTo(PayloadCopies.LEAST);
    }
}
