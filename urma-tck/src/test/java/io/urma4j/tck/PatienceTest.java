package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the system property makes of deadlines and amounts; its value is read once, so each has a process of its own. */
@Timeout(60)
class PatienceTest {
    /** Says what it finds. */
    static final class Says {
        public static void main(String[] arguments) {
            System.out.print(Patience.LIMIT + " " + Patience.stretched(Duration.ofSeconds(3)) + " "
                    + Patience.amount(4000, 150));
        }
    }

    private static String said(String... options) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Says.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }

    @Test
    void deadlinesAndAmountsAreTheUsualOnesByDefault() throws Exception {
        assertThat(said()).isEqualTo("PT20S PT3S 4000");
    }

    @Test
    void patienceMakesDeadlinesLongAndAmountsSmall() throws Exception {
        assertThat(said("-Durma.tck.patience=10")).isEqualTo("PT3M20S PT30S 150");
    }

    @Test
    void noPatienceIsRefused() throws Exception {
        assertThat(said("-Durma.tck.patience=0")).contains("urma.tck.patience is 0, the least is 1");
    }
}
