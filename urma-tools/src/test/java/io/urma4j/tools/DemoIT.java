package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The demo, with its processes. */
class DemoIT extends WithShell {
    private static final Pattern PROCESSES = Pattern.compile("processes (\\d+), (\\d+) and (\\d+)");

    @Test
    void everyCheckPassesAndTheFiguresFollow() throws Exception {
        Ended demo = shell.run("demo", "--size", "8MiB");

        assertThat(demo.exitCode()).as(demo.out() + demo.err()).isZero();
        assertThat(demo.out())
                .contains("1,000,000 additions each make 2,000,000, exactly")
                .contains("All 9 checks passed.")
                .doesNotContain("FAILED")
                .containsPattern("(?m)^ +8 B +\\d")
                .containsPattern("(?m)^ +4 MiB +\\d");
        assertThat(processes(demo.out())).hasSize(3).noneMatch(DemoIT::isAlive);
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void everyCheckPassesOnTheNetworkDevice() throws Exception {
        Ended demo = shell.with("URMA_UDMA_ADDRESSES", "127.0.84.2").run("demo", "--device", "udma0", "--size", "1MiB");

        assertThat(demo.exitCode()).as(demo.out() + demo.err()).isZero();
        assertThat(demo.out()).contains("udma0", "All 9 checks passed.").doesNotContain("FAILED");
        assertThat(processes(demo.out())).hasSize(3).noneMatch(DemoIT::isAlive);
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void everyCheckPassesOnMemoryOfASimulatedDevice() throws Exception {
        Ended demo = shell.run("demo", "--memory", "npu", "--size", "8M");

        assertThat(demo.exitCode()).as(demo.out() + demo.err()).isZero();
        assertThat(demo.out())
                .startsWith("urma demo: generated content of 8 MiB in memory of npu:0 on device shm0\n")
                .contains("20,000 additions each make 40,000, exactly")
                .contains("All 9 checks passed.")
                .doesNotContain("FAILED")
                .containsPattern("(?m)^ +4 MiB +\\d");
        assertThat(processes(demo.out())).hasSize(3).noneMatch(DemoIT::isAlive);
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void aDeviceThatIsAbsentIsAFailureWithItsReason() throws Exception {
        Ended demo = shell.with("URMA_CUDA_LIBRARY", "/nonexistent/libcuda.so.1")
                .run("demo", "--memory", "cuda:0", "--size", "8M");

        assertThat(demo.exitCode()).isEqualTo(1);
        assertThat(demo.err())
                .contains("urma: the home: peer memory: client cuda does not work here", "/nonexistent/libcuda.so.1")
                .doesNotContain("\tat ");
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void aFileIsCarriedAboutAndProgramsReadTheResult() throws Exception {
        Path file = Files.write(folder.resolve("a file"), new byte[1_000_003]);

        Ended demo = shell.run("demo", file.toString(), "--json");

        assertThat(demo.exitCode()).as(demo.out() + demo.err()).isZero();
        try (var json = new JsonFactory().createParser(demo.stdout())) {
            assertThat(json.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            json.skipChildren(); // throws when it is no JSON
            assertThat(json.nextToken()).isNull();
        }
        assertThat(demo.out()).contains("\"passed\" : true").contains("\"sizeBytes\" : 1000003");
    }

    @Test
    void anUnknownDeviceIsNamedWithThoseThatExist() throws Exception {
        Ended demo = shell.run("demo", "--device", "nix0");

        assertThat(demo.exitCode()).isEqualTo(1);
        assertThat(demo.err())
                .contains("no device 'nix0'; there are shm0 and udma0")
                .hasLineCount(1);
    }

    @Test
    void ctrlCEndsAllProcesses() throws Exception {
        Running demo = shell.start("demo", "--size", "64MiB");
        demo.awaitOut(", in "); // the line with their numbers, which comes last
        List<Long> processes = processes(demo.out());

        Ended ended = demo.interrupted();

        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(130);
        assertThat(ended.err()).endsWith("urma: interrupted\n");
        assertThat(processes).hasSize(3).noneMatch(DemoIT::isAlive);
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void theProcessesEndWithAKilledLeader() throws Exception {
        Running demo = shell.start("demo", "--size", "64MiB");
        demo.awaitOut(", in "); // the line with their numbers, which comes last
        List<Long> processes = processes(demo.out());

        demo.signal("KILL");
        demo.ended();

        await().atMost(Duration.ofSeconds(15)).until(() -> processes.stream().noneMatch(DemoIT::isAlive));
    }

    @Test
    void aKilledHomeIsAFailureThatNamesIt() throws Exception {
        Running demo = shell.start("demo", "--size", "64MiB");
        demo.awaitOut(", in "); // the line with their numbers, which comes last
        List<Long> processes = processes(demo.out());

        ProcessHandle.of(processes.getFirst()).ifPresent(ProcessHandle::destroyForcibly);
        Ended ended = demo.ended();

        assertThat(ended.exitCode()).as(ended.out()).isEqualTo(1);
        assertThat(ended.err()).contains("the home (process " + processes.getFirst() + ") ended unexpectedly");
        assertThat(processes).noneMatch(DemoIT::isAlive);
    }

    private static List<Long> processes(String out) {
        Matcher matcher = PROCESSES.matcher(out);
        assertThat(matcher.find()).as(out).isTrue();
        return List.of(Long.valueOf(matcher.group(1)), Long.valueOf(matcher.group(2)), Long.valueOf(matcher.group(3)));
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
