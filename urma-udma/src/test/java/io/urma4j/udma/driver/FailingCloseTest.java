package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Eid;
import io.urma4j.UrmaOptions;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.udp.PortOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What fails while a device opens or a context closes leaves nothing behind, and no caller waiting. */
class FailingCloseTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.75.2");

    @TempDir
    Path folder;

    private static Adapter open(int port, CardOptions card) {
        return Adapter.open("udma9", Eid.of(ADDRESS), PortOptions.of(ADDRESS).withPort(port), card);
    }

    @Test
    void aDeviceThatCannotOpenLeavesItsPortFree() {
        Adapter first = open(0, CardOptions.DEFAULT);
        int port = first.port().port();
        first.close();

        assertThatThrownBy(() -> open(port, null)).isInstanceOf(NullPointerException.class);

        Adapter again = open(port, CardOptions.DEFAULT);
        assertThat(again.port().port()).isEqualTo(port);
        again.close();
    }

    @Test
    void aCloseEndsThoughItsStepsFail() throws IOException {
        Adapter adapter = open(0, CardOptions.DEFAULT);
        CountDownLatch closed = new CountDownLatch(1);
        UdmaContext context = UdmaContext.open(
                "udma9",
                () -> {
                    closed.countDown();
                    throw new IllegalStateException("for the test");
                },
                adapter,
                UrmaOptions.DEFAULT.withRuntimeDirectory(folder),
                _ -> {});
        for (Path file : files()) { // so that none can be removed
            Files.delete(file);
            Files.createDirectory(file);
        }

        assertThat(context.close(PATIENCE)).succeedsWithin(PATIENCE);

        assertThat(closed.getCount()).isZero();
        adapter.close();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }
}
