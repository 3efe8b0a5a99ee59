package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measuring inside a process that runs. */
class PerfIT extends WithShell {
    private String out(String... arguments) throws Exception {
        Ended ended = shell.run(arguments);
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.err()).isEmpty();
        return ended.out();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm0", "udma0"})
    void aRunningProcessTellsTheTimesOfItsStages(String device) throws Exception {
        Running busy = shell.start("perftest", "read_bw", "--local", "-d", device, "-s", "8", "-y", "1");
        busy.awaitOut("8 ");
        String pid = String.valueOf(busy.process().pid());

        assertThat(out("perf", "start", pid, "-d", device)).startsWith("measuring pid " + pid + ", context ");
        busy.process().waitFor(500, TimeUnit.MILLISECONDS);
        String shown = out("perf", "show", pid, "-d", device);
        assertThat(shown).containsPattern("stage +count +t_min +t_median +t_avg +90% +99% +99.9% +t_max");
        assertThat(shown)
                .containsPattern("post read +[1-9]\\d* ")
                .containsPattern("execute read +[1-9]\\d* ")
                .containsPattern("complete +[1-9]\\d* ");

        assertThat(out("perf", "stop", "-d", device)).contains("no longer measuring pid " + pid);
        String after = out("perf", "show", pid, "-d", device, "--json");
        assertThat(after).contains("\"stage\" : \"execute read\"").contains("\"t_median\" : ");
        assertThat(busy.process().isAlive()).as(busy.err()).isTrue();
        assertThat(out("perf", "show", pid, "-d", device, "--json")).isEqualTo(after);

        Ended ended = busy.interrupted();
        assertThat(ended.err()).as("its data is right all the same").doesNotContain("wrong data");
    }

    @Test
    void whereNobodyIsItSaysSo() throws Exception {
        Ended ended = shell.run("perf", "start", "1", "-d", "shm0");

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err()).isEqualTo("urma: process 1 has no context open, or is another user's\n");
    }

    @Test
    void whatWasNeverMeasuredIsNotShown() throws Exception {
        shell.share("-n", "4096");

        assertThat(out("perf", "show", "-d", "shm0")).contains("no measurements; 'urma perf start' starts measuring");
    }
}
