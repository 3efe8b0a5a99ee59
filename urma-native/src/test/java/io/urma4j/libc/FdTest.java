package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FdTest {
    @Test
    void toStringTellsNumberAndKind() {
        try (Fd fd = MemFd.create("urma:table", 4096)) {
            assertThat(fd).hasToString("fd " + fd.number() + " (memfd urma:table)");
        }
    }

    @Test
    void closedDescriptorRefusesItsNumber() {
        Fd fd = MemFd.create("urma:closed", 4096);
        int number = fd.number();

        fd.close();

        assertThat(fd.isClosed()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(fd::number)
                .withMessage("fd %d (memfd urma:closed) is closed", number);
    }

    @Test
    void closingTwiceSparesWhoGotTheNumberNext() {
        Fd first = MemFd.create("urma:first", 4096);
        first.close();
        try (Fd second = MemFd.create("urma:second", 4096)) {
            first.close();

            assertThat(MemFd.sizeBytes(second)).isEqualTo(4096);
        }
    }

    @Test
    void closeWaitsInTheKernelForCallsInProgress() throws IOException {
        Fd fd = MemFd.create("urma:in-use", 4096);
        fd.acquire();
        fd.acquire();

        fd.close();
        fd.release();
        assertThat(OpenFiles.count("urma:in-use")).isEqualTo(1);
        fd.release();

        assertThat(OpenFiles.count("urma:in-use")).isZero();
    }

    @Test
    void refusedCallsNeitherCloseItNorKeepItOpen() throws IOException {
        Fd fd = MemFd.create("urma:refused", 4096);
        fd.acquire();
        fd.close();

        assertThatIllegalStateException().isThrownBy(fd::acquire);
        assertThat(OpenFiles.count("urma:refused")).isEqualTo(1);
        fd.release();

        assertThat(OpenFiles.count("urma:refused")).isZero();
        try (Fd next = MemFd.create("urma:next", 4096)) {
            assertThatIllegalStateException().isThrownBy(fd::acquire);
            assertThat(MemFd.sizeBytes(next)).isEqualTo(4096);
        }
    }

    @Test
    void manyThreadsCloseItOnce() throws Exception {
        for (int round = 0; round < 200; round++) {
            Fd fd = MemFd.create("urma:race", 4096);
            List<Thread> threads = IntStream.range(0, 4)
                    .mapToObj(i -> Thread.ofVirtual().start(i % 2 == 0 ? fd::close : () -> use(fd)))
                    .toList();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(OpenFiles.count("urma:race")).isZero();
    }

    @Test
    void duplicateLivesOn() {
        Fd fd = MemFd.create("urma:original", 8192);
        try (Fd duplicate = fd.duplicate()) {
            fd.close();

            assertThat(MemFd.sizeBytes(duplicate)).isEqualTo(8192);
        }
    }

    private static void use(Fd fd) {
        try {
            fd.duplicate().close();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("is closed");
        }
    }
}
