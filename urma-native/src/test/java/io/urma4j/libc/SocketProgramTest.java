package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class SocketProgramTest {
    private final SocketProgram program = new SocketProgram();

    @Test
    void instructionsAreWhatWasAdded() {
        program.loadWord(SocketProgram.IP_HEADER + 12);
        program.ifNotBelow(-2, 255, 1);

        assertThat(program.length()).isEqualTo(2);
        assertThat(program.code(0)).isEqualTo(SocketProgram.LOAD_WORD);
        assertThat(program.value(0)).isEqualTo(0xFFF0_000C);
        assertThat(program.code(1)).isEqualTo(SocketProgram.JUMP_IF_NOT_BELOW);
        assertThat(program.ifSo(1)).isEqualTo(255);
        assertThat(program.ifNot(1)).isEqualTo(1);
        assertThat(program.value(1)).isEqualTo(-2);
    }

    @Test
    void aJumpLandsAtWhatIsAddedNext() {
        int jump = program.jump();
        program.answer(1);
        program.answer(2);
        program.land(jump);
        program.answer(3);

        assertThat(program.code(jump)).isEqualTo(SocketProgram.JUMP);
        assertThat(program.value(jump)).isEqualTo(2);
    }

    @Test
    void aBranchThatIsTooFarIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> program.ifEqual(0, 256, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> program.ifEqual(0, 0, -1));
    }

    @Test
    void moreInstructionsThanTheKernelTakesAreRefused() {
        for (int i = 0; i < SocketProgram.MAX_INSTRUCTIONS; i++) {
            program.answer(i);
        }

        assertThatIllegalStateException().isThrownBy(() -> program.answer(0));
    }
}
