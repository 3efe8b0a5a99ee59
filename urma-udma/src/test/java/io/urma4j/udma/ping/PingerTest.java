package io.urma4j.udma.ping;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PingerTest {
    private static final String HOME = "127.0.84.1";
    private static final int ECHOES = 8;

    /** Answers that arrived together are waited for until each was returned. */
    @Test
    void eachAnswerCountsAsWaitingUntilItIsReturned(@TempDir Path folder) throws Exception {
        UrmaOptions options =
                UrmaOptions.DEFAULT.withSetting("urma.udma.addresses", HOME).withRuntimeDirectory(folder);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        try (Urma urma = Urma.open(options);
                UrmaContext _ = urma.device("udma0").openContext();
                Pinger pinger = Pinger.open(InetAddress.ofLiteral(HOME), 4791, null, 56, UrmaOptions.DEFAULT)) {
            for (int sequence = 1; sequence <= ECHOES; sequence++) {
                pinger.send(sequence);
            }

            for (int left = ECHOES - 1; left >= 0; left--) {
                assertThat(pinger.await(deadline)).isNotNull();
                assertThat(pinger.waiting() > 0).as("echoes left: %d", left).isEqualTo(left > 0);
            }
        }
    }
}
