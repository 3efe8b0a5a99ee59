package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import io.urma4j.tck.Seed;
import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code urma perftest} with both of its processes. */
class PerftestIT extends WithShell {
    private static final Pattern PORT = Pattern.compile("waits for a client on port (\\d+)");

    private Ended perftest(String words) throws Exception {
        return shell.run(("perftest " + words).split(" ", -1));
    }

    private static void assertRow(Ended run, long bytes, long iterations) throws Exception {
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .containsPattern("(?m)^ +" + bytes + " +" + iterations + "( +[\\d.-]+)+$")
                .contains("Verified: ")
                .contains("client: ")
                .contains("server: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"read_lat", "write_lat", "send_lat", "atomic_lat"})
    void latencyHasItsColumns(String test) throws Exception {
        Ended run = perftest(test + " --local -d shm0 -s 8 -n 50 -w 50");

        assertRow(run, 8, 50);
        assertThat(run.out())
                .containsPattern(
                        "bytes +iterations +t_min +t_max +t_median +t_avg +t_stdev +99% +99.9% +99.99% +99.999%");
        assertThat(shell.leftFiles()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read_bw", "write_bw", "send_bw", "atomic_bw"})
    void bandwidthHasItsColumns(String test) throws Exception {
        Ended run = perftest(test + " --local -d shm0 -s 8 -n 500 -w 100");

        assertRow(run, 8, 500);
        assertThat(run.out()).containsPattern("bytes +iterations +BW peak +BW average +MsgRate");
        assertThat(shell.leftFiles()).isEmpty();
    }

    /** A sixth of them, by the seed of the run: each starts two processes. */
    private static Stream<String> sample(String... all) {
        List<String> chosen = new ArrayList<>(List.of(all));
        if (!Boolean.getBoolean("urma.full")) {
            Collections.shuffle(chosen, new Random(Seed.OF_RUN));
            chosen = chosen.subList(0, all.length / 6);
        }
        return chosen.stream();
    }

    static Stream<String> options() {
        return sample(
                "write_lat -s 4096 -n 20",
                "write_lat -s 64 -n 20 --enable_imm -e",
                "write_lat -s 4 -n 20 -I 64 -p RC",
                "send_lat -s 64 -n 20 -p RC --order_type OL",
                "send_lat -s 64 -n 20 -p UM -r 4",
                "send_lat -s 64 -n 20 -e --wait_jfc_timeout 5",
                "send_lat -s 64 -n 20 --rate_limit 1 --rate_units P",
                "atomic_lat -s 4 -n 20 -A faa",
                "write_bw -s 100 -n 300 -J 3 -l 5 -Q 7 -T 32",
                "write_bw -s 100 -n 300 -I 128 -L",
                "write_bw -s 4096 -n 300 --enable_notify --sge_num 3",
                "write_bw -s 64 -n 300 --enable_imm",
                "write_bw -s 64 -n 300 -B -J 2",
                "read_bw -s 4096 -n 300 --sge_num 4 -b",
                "send_bw -s 64 -n 300 -b --enable_credit -R 16",
                "send_bw -s 64 -n 300 -J 4 -j -r 8 --enable_imm",
                "send_bw -s 64 -n 300 -B -p RC -J 2",
                "send_bw -s 64 -n 300 --rate_limit 10 --rate_units M --burst_size 4",
                "atomic_bw -s 4 -n 300 -J 2 -B",
                "atomic_bw -s 8 -n 300 -l 4 -K NONE -N -E 20",
                "write_bw -s 64 -n 300 --pair_num 3 -J 2",
                "send_bw -s 64 -n 300 --pair_num 2 -J 2 -j -e",
                "send_bw -s 64 -n 300 --pair_num 2 -p RC -B",
                "write_bw -s 64 -n 300 --pair_num 3 --share_jfs -b -Q 100",
                "send_bw -s 64 -n 300 -J 4 --share_jfs -b --enable_credit -R 16 -B",
                "send_bw -s 64 -n 2000 -J 4 --enable_credit -R 16 -B",
                "write_lat -s 8 -n 20 -f",
                "write_lat -s 8 -n 20 -f false",
                "send_lat -s 64 -n 20 --use_flat_api=false",
                "read_bw -s 100 -n 300 -f false",
                "atomic_bw -s 8 -n 300 -f true",
                "write_bw -s 10000 -n 300 -J 2 --page_size 64K",
                "read_bw -s 4096 -n 300 --hugepage_size 2M");
    }

    @ParameterizedTest
    @MethodSource("options")
    void optionsDoWhatTheySayAndTheDataIsRight(String words) throws Exception {
        Ended run = perftest(words + " --local -d shm0 -w 10");

        long bytes = Long.parseLong(words.replaceAll(".*-s (\\d+).*", "$1"));
        long iterations = Long.parseLong(words.replaceAll(".*-n (\\d+).*", "$1"));
        assertRow(run, bytes, words.contains("-B") ? 2 * iterations : iterations);
    }

    static Stream<String> optionsForDeviceMemory() {
        return sample(
                "write_lat -s 8 -n 20 --memory npu",
                "write_lat -s 4096 -n 20 --memory host --server_memory npu:1",
                "write_lat -s 64 -n 20 --enable_imm --memory npu",
                "read_lat -s 4096 -n 20 --memory host --server_memory npu",
                "send_lat -s 64 -n 20 --memory npu",
                "atomic_lat -s 8 -n 20 -A faa --memory npu",
                "write_bw -s 100 -n 300 -J 3 -l 5 -Q 7 -T 32 --memory npu",
                "write_bw -s 65536 -n 100 -B --memory npu --server_memory host",
                "write_bw -s 4096 -n 100 --enable_notify --memory npu",
                "read_bw -s 4096 -n 100 --sge_num 4 --memory npu",
                "send_bw -s 64 -n 300 --enable_credit -R 16 --memory npu",
                "atomic_bw -s 4 -n 100 -J 2 -B --memory npu");
    }

    @ParameterizedTest
    @MethodSource("optionsForDeviceMemory")
    void payloadsInDeviceMemoryAreRight(String words) throws Exception {
        Ended run = perftest(words + " --local -d shm0 -w 10");

        long bytes = Long.parseLong(words.replaceAll(".*-s (\\d+).*", "$1"));
        long iterations = Long.parseLong(words.replaceAll(".*-n (\\d+).*", "$1"));
        assertRow(run, bytes, words.contains("-B") ? 2 * iterations : iterations);
        assertThat(run.out()).containsPattern("on shm0, memory of \\S+ at the client, \\S+ at the server, mode RM");
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void memoryThatTheServerLacksIsNamedOnce() throws Exception {
        shell.with("URMA_CUDA_LIBRARY", "/nonexistent/libcuda.so.1");

        Ended run = perftest("write_bw --local -d shm0 -n 20 --memory host --server_memory cuda:0");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("client cuda does not work here").hasLineCount(1);
    }

    @Test
    void allSizesAreMeasuredAndProgramsReadThem() throws Exception {
        Path csv = folder.resolve("rows.csv");
        Path svg = folder.resolve("curve.svg");

        Ended run = perftest(
                "write_lat --local -d shm0 -a --max_size 64 -n 20 -w 20 --json --csv " + csv + " --plot " + svg);

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(numbers(run, "bytes")).containsExactly(2L, 4L, 8L, 16L, 32L, 64L);
        assertThat(Files.readString(csv)).startsWith("bytes,iterations,t_min,").hasLineCount(7);
        assertThat(Files.readString(svg)).startsWith("<svg ").endsWith("</svg>\n");
    }

    private static List<Long> numbers(Ended run, String field) throws IOException {
        List<Long> numbers = new ArrayList<>();
        try (var json = new JsonFactory().createParser(run.stdout())) {
            while (json.nextToken() != null) {
                if (json.currentToken() == JsonToken.FIELD_NAME && field.equals(json.currentName())) {
                    numbers.add(json.nextLongValue(0));
                }
            }
        }
        return numbers;
    }

    /** Not even where no optimizing compiler takes objects out again: these commands run without C2. */
    @ParameterizedTest
    @ValueSource(strings = {"send_lat -d shm0", "send_lat -d udma0", "read_lat -d udma0", "write_bw -d udma0"})
    void nothingIsAllocatedForAnOperation(String words) throws Exception {
        int iterations = 10_000;
        long smallestObject = 16;

        Ended run = perftest(words + " --local -s 64 --json -n " + iterations);

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(numbers(run, "allocatedBytes"))
                .hasSize(2)
                .allSatisfy(bytes -> assertThat(bytes).isLessThan(smallestObject * iterations));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-O 3", "--priority=3", "-c"})
    void whatCanMeanNothingHereIsRefusedWithTheReasonBeforeAnythingStarts(String option) throws Exception {
        Ended client = perftest("write_bw --local -d shm0 " + option);
        Ended server = perftest("-d shm0 " + option);

        assertThat(client.exitCode()).isEqualTo(2);
        assertThat(client.err()).contains(" is not offered: ");
        assertThat(server.exitCode()).isEqualTo(2);
        assertThat(server.err()).contains(" is not offered: ");
    }

    @Test
    void aDurationEndsARun() throws Exception {
        Ended run = perftest("write_bw --local -d shm0 -s 64 -D 1 -w 10");

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).containsPattern("(?m)^ +64 +\\d+ +- +[\\d.]+ +[\\d.]+$");
    }

    @Test
    void aServerServesWhoeverSpeaksItsLanguageAndTakesOverHisSettings() throws Exception {
        Running server = shell.start("perftest", "-d", "shm0", "-P", "0", "-n", "30");
        int port = port(server);
        try (var stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
            stranger.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.UTF_8));
            server.awaitErr("the client is no urma-perftest: it said 'GET / HTTP/1.1?'");
        }

        Ended client = perftest("read_lat -S localhost -d shm0 -s 16 -P " + port);

        assertRow(client, 16, 30);
        assertThat(server.ended().exitCode()).isZero();
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void settingsThatDifferAreRefusedByNameOnBothSides() throws Exception {
        Running server = shell.start("perftest", "write_lat", "-d", "shm0", "-P", "0", "-s", "64");

        Ended client = perftest("write_lat -S localhost -d shm0 -s 128 -P " + port(server));

        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err())
                .contains("the server: the settings differ: --size is 64 at the server and 128 at the client");
        Ended ended = server.ended();
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err()).contains("--size is 64 at the server and 128 at the client");
    }

    @Test
    void devicesOfDifferentKindsAreNamedOnBothSides() throws Exception {
        Running server = shell.start("perftest", "-d", "shm0", "-P", "0");

        Ended client = perftest("write_lat -S localhost -d udma0 -P " + port(server));

        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("this side is on device udma0, and the other on one of kind shm");
        assertThat(server.ended().err()).contains("this side is on device shm0, and the other on one of kind udma");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--csv", "--plot"})
    void aFileThatCannotBeWrittenIsToldBeforeAnythingIsMeasured(String option) throws Exception {
        Path file = folder.resolve("no/file");

        Ended run = perftest("write_lat --local -d shm0 -n 10 " + option + " " + file);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("urma: output '" + file + "': there is no directory '" + file.getParent() + "'\n");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            Ended server = perftest("-d shm0 -P " + taken.getLocalPort());

            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err())
                    .startsWith("urma: port " + taken.getLocalPort() + " is not available: ")
                    .containsOnlyOnce("'urma doctor'")
                    .hasLineCount(1);
        }
    }

    @Test
    void ctrlCEndsTheWaitForAClient() throws Exception {
        Running server = shell.start("perftest", "-d", "shm0", "-P", "0");
        port(server);

        assertThat(server.interrupted().exitCode()).isEqualTo(130);
        assertThat(shell.leftFiles()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSideThatIsKilledEndsTheOther(boolean server) throws Exception {
        Running serving = shell.start("perftest", "-d", "shm0", "-P", "0");
        String port = Integer.toString(port(serving));
        Running leading = shell.start("perftest", "send_bw", "-S", "localhost", "-d", "shm0", "-y", "1", "-P", port);
        leading.awaitOut("MsgRate");

        (server ? serving : leading).signal("KILL");

        Ended other = (server ? leading : serving).ended();
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err()) // what it notices first is chance: the end of the talk, or that of an operation
                .containsPattern(
                        "urma: .*(the (server|client) closed the control connection|to the (server|client) broke|, or ended)");
    }

    @Test
    void ctrlCOfTheClientEndsBothAndLeavesNothing() throws Exception {
        Running server = shell.start("perftest", "-d", "shm0", "-P", "0");
        Running client = shell.start(
                "perftest",
                "write_bw",
                "-S",
                "localhost",
                "-d",
                "shm0",
                "-y",
                "1",
                "-P",
                Integer.toString(port(server)));
        client.awaitOut("MsgRate");

        Ended ended = client.interrupted();

        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(130);
        assertThat(ended.err()).contains("urma: interrupted");
        assertThat(server.ended().err()).contains("the client was stopped by its user");
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void ctrlCOfTheServerEndsBothAndLeavesNothing() throws Exception {
        Running server = shell.start("perftest", "-d", "shm0", "-P", "0");
        Running client = shell.start(
                "perftest",
                "send_bw",
                "-S",
                "localhost",
                "-d",
                "shm0",
                "-y",
                "1",
                "-P",
                Integer.toString(port(server)));
        client.awaitOut("MsgRate");

        Ended ended = server.interrupted();

        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(130);
        Ended other = client.ended();
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err()).contains("the server was stopped by its user");
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void theServerOfLocalEndsWithAKilledClient() throws Exception {
        Running client = shell.start("perftest", "write_bw", "--local", "-d", "shm0", "-y", "1");
        client.awaitOut("MsgRate");
        List<ProcessHandle> children = client.process().descendants().toList();
        assertThat(children).hasSize(1);

        client.signal("KILL");
        client.ended();

        await().atMost(Duration.ofSeconds(30)).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    private static int port(Running server) throws Exception {
        server.awaitErr("waits for a client on port ");
        Matcher matcher = PORT.matcher(server.err());
        assertThat(matcher.find()).as(server.err()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    /** The server is stopped for longer than an operation may take: operations fail, and the run continues. */
    @Test
    void withErrContinueFailuresAreCountedAndTheRunGoesOn() throws Exception {
        Running server = shell.start("perftest", "-d", "shm0", "-P", "0");
        String port = String.valueOf(port(server));
        Running client = shell.start(
                "perftest",
                "send_bw",
                "-d",
                "shm0",
                "-S",
                "127.0.0.1",
                "-P",
                port,
                "-s",
                "64",
                "-D",
                "4",
                "-w",
                "1000",
                "-E",
                "14",
                "--no-verify",
                "--enable_err_continue");
        server.awaitErr("serving ");
        client.process().waitFor(1_500, TimeUnit.MILLISECONDS);
        server.signal("STOP");
        client.process().waitFor(1_000, TimeUnit.MILLISECONDS);
        server.signal("CONT");

        Ended ended = client.ended();

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("[1-9][0-9,]* operations failed, and were skipped\\.");
        assertThat(server.ended().exitCode()).as(server.err()).isZero();
    }
}
