package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PidFdTest {
    private static final int DEADLINE_MILLIS = 10_000;

    private Process child;

    @BeforeEach
    void startChild() throws IOException {
        child = new ProcessBuilder("sleep", "60").start();
    }

    @AfterEach
    void endChild() throws InterruptedException {
        child.destroyForcibly().waitFor();
    }

    @Test
    void killedProcessIsSeenAtOnce() {
        try (PidFd process = PidFd.open(pid())) {
            assertThat(process.isExited()).isFalse();

            Signal.KILL.sendTo(pid());

            int ready = Poll.await(process.fd(), Poll.IN, DEADLINE_MILLIS);
            assertThat(ready & Poll.IN)
                    .as("HUP joins it when the parent has taken note")
                    .isEqualTo(Poll.IN);
            assertThat(process.isExited()).isTrue();
        }
    }

    @Test
    void stoppedProcessHasNotExited() {
        try (PidFd process = PidFd.open(pid())) {
            Signal.STOP.sendTo(pid());
            await().until(() -> state().startsWith("T"));
            assertThat(process.isExited()).isFalse();

            Signal.CONT.sendTo(pid());
            await().until(() -> state().startsWith("S"));
        }
    }

    @Test
    void processThatIsGoneCannotBeOpened() throws InterruptedException {
        child.destroyForcibly().waitFor();

        var refusal = catchThrowableOfType(LibcException.class, () -> PidFd.open(pid()));

        assertThat(refusal.errno()).isEqualTo(Errno.ESRCH);
        assertThat(refusal).hasMessage("pidfd_open(pid=%d) failed: ESRCH (3): No such process", pid());
    }

    @Test
    void groupsOfProcessesGetNoSignal() {
        assertThatIllegalArgumentException().isThrownBy(() -> Signal.KILL.sendTo(0));
        assertThatIllegalArgumentException().isThrownBy(() -> Signal.KILL.sendTo(-1));
    }

    private int pid() {
        return (int) child.pid();
    }

    private String state() throws IOException {
        String status = Files.readString(Path.of("/proc/" + pid() + "/status"));
        return status.replaceFirst("(?s).*\nState:\\s+", "");
    }
}
