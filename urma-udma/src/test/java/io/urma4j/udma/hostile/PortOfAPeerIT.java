package io.urma4j.udma.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** S14.32: an incarnation names a UDP port, and that proves something only if no other user can bind the port of a device. */
@Timeout(120)
class PortOfAPeerIT {
    private static final long PORT_MASK = 0xFFFF;

    @TempDir
    private Path folder;

    private final String address = "127." + (64 + ThreadLocalRandom.current().nextInt(64)) + ".9.1";

    private Urma open(String backend, String strangers) {
        return Urma.open(UrmaOptions.DEFAULT
                .withRuntimeDirectory(folder.resolve("run"))
                .withSetting("urma.udma.io", backend)
                .withSetting("urma.udma.strangers", strangers)
                .withSetting("urma.udma.addresses", address));
    }

    private List<String> stolenBy(long port) throws IOException, InterruptedException {
        Process thief = OtherUser.start(folder, List.of(PortThief.class), List.of(address, Long.toString(port)));
        String output = new String(thief.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(thief.waitFor()).as(output).isZero();
        assertThat(output).endsWith("done\n");
        return output.lines().filter(line -> line.startsWith("bound")).toList();
    }

    /** With one socket for all, with several that share the port by SO_REUSEPORT, and with that of the JDK. */
    @ParameterizedTest
    @CsvSource({"auto, together", "auto, apart", "channel, together"})
    void anotherUserBindsNoPortOfADevice(String backend, String strangers) throws Exception {
        assumeTrue(OtherUser.canStart(), "skipped: only root, with setpriv, can start a process of another user");
        try (Urma urma = open(backend, strangers);
                UrmaContext context = urma.device("udma0").openContext();
                UrmaContext another = urma.device("udma0").openContext()) {
            long port = context.peerId().incarnation() & PORT_MASK;
            assertThat(another.peerId().incarnation() & PORT_MASK)
                    .as("both contexts have the port of their device")
                    .isEqualTo(port);

            assertThat(stolenBy(port)).isEmpty();
        }
    }

    /** What the page says about a peer that is gone; and the attempts above can succeed. */
    @Test
    void portOfAClosedDeviceIsFree() throws Exception {
        long port;
        try (Urma urma = open("auto", "apart");
                UrmaContext context = urma.device("udma0").openContext()) {
            port = context.peerId().incarnation() & PORT_MASK;
        }

        assertThat(stolenBy(port)).isNotEmpty();
    }
}
