package io.urma4j.udma.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which of all 256 numbers are of which kind. */
class WorkOpcodeTest {
    private static int[] all(IntPredicate kind) {
        return IntStream.range(0, 256).filter(kind).toArray();
    }

    @Test
    void sevenAreAtomics() {
        assertThat(all(WorkOpcode::isAtomic))
                .containsExactly(
                        WorkOpcode.CAS,
                        WorkOpcode.SWAP,
                        WorkOpcode.FADD,
                        WorkOpcode.FSUB,
                        WorkOpcode.FAND,
                        WorkOpcode.FOR,
                        WorkOpcode.FXOR);
    }

    @Test
    void fourConsumeAReceive() {
        assertThat(all(WorkOpcode::isMessage))
                .containsExactly(
                        WorkOpcode.WRITE_IMM, WorkOpcode.SEND, WorkOpcode.SEND_IMM, WorkOpcode.SEND_INVALIDATE);
    }

    @Test
    void readsAndAtomicsBringBytesBack() {
        int[] fetches = all(opcode -> WorkOpcode.isFetch(opcode) && !WorkOpcode.isAtomic(opcode));

        assertThat(fetches).contains(WorkOpcode.READ);
        assertThat(all(WorkOpcode::isFetch)).startsWith(WorkOpcode.READ).endsWith(WorkOpcode.FXOR);
    }
}
