package io.urma4j.udma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import org.junit.jupiter.api.Test;

/** What Linux does not send, and so is in no capture. */
class HeadersTest {
    private final NativeMemory bytes = NativeMemory.allocate(64);

    @Test
    void headersOfReliableDatagramsAreRead() {
        Rdeth.put(bytes, 12, Rdeth.STARTS_ANEW, 0xABCDEF);
        Deth.put(bytes, 16, 0x80010000, 0xFE, 0x123456);

        assertThat(Rdeth.endToEndContext(bytes, 12)).isEqualTo(0xABCDEF);
        assertThat(Rdeth.flags(bytes, 12)).isEqualTo(Rdeth.STARTS_ANEW);
        assertThat(Deth.queueKey(bytes, 16)).isEqualTo(0x80010000);
        assertThat(Deth.hint(bytes, 16)).isEqualTo(0xFE);
        assertThat(Deth.sourceQp(bytes, 16)).isEqualTo(0x123456);
        assertThat(Opcodes.offset(Opcodes.RD | Opcodes.WRITE_ONLY_IMM, Header.RETH))
                .isEqualTo(24);
        assertThat(Opcodes.offset(Opcodes.RD | Opcodes.WRITE_ONLY_IMM, Header.IMM_DT))
                .isEqualTo(40);
        assertThat(Opcodes.headerBytes(Opcodes.RD | Opcodes.ACKNOWLEDGE)).isEqualTo(20);
    }

    @Test
    void headersOfSharedReceiveQueuesAndOfFlushAreRead() {
        Xrceth.put(bytes, 12, 7);
        Feth.put(bytes, 16, 1, 2);

        assertThat(Xrceth.sharedReceiveQueue(bytes, 12)).isEqualTo(7);
        assertThat(Feth.selectivity(bytes, 16)).isEqualTo(1);
        assertThat(Feth.placementType(bytes, 16)).isEqualTo(2);
        assertThat(Opcodes.offset(Opcodes.RC | Opcodes.FLUSH, Header.RETH)).isEqualTo(16);
    }

    @Test
    void lengthsUpToFourGigabytesAreRead() {
        Reth.put(bytes, 12, -1L, 0x1234, 0xFFFF_FFFFL);

        assertThat(Reth.va(bytes, 12)).isEqualTo(-1L);
        assertThat(Reth.lengthBytes(bytes, 12)).isEqualTo(0xFFFF_FFFFL);
    }

    @Test
    void syndromesAreTakenApart() {
        assertThat(Aeth.kind(Aeth.ACK)).isEqualTo(Aeth.Kind.ACK);
        assertThat(Aeth.kind(Aeth.rnrNak(12))).isEqualTo(Aeth.Kind.RNR_NAK);
        assertThat(Aeth.value(Aeth.rnrNak(12))).isEqualTo(12);
        assertThat(Aeth.kind(Aeth.NAK_REMOTE_ACCESS)).isEqualTo(Aeth.Kind.NAK);
        assertThat(Aeth.value(Aeth.NAK_REMOTE_ACCESS)).isEqualTo(2);
    }

    @Test
    void opcodesHaveNames() {
        assertThat(Opcodes.name(0x04)).isEqualTo("RC SEND_ONLY");
        assertThat(Opcodes.name(0x64)).isEqualTo("UD SEND_ONLY");
        assertThat(Opcodes.name(0x81)).isEqualTo("CNP");
        assertThat(Opcodes.name(0xFE)).isEqualTo("0xFE");
        assertThat(Opcodes.isKnown(0x15)).isFalse();
        assertThat(Opcodes.isResponse(0x11)).isTrue();
        assertThat(Opcodes.isResponse(0x14)).isFalse();
    }
}
