package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What needs no device: help, wrong use, files that cannot be shared. */
class MainTest {
    private static final String LINE = "urma4j:shared-segment:1:" + "S3cReT".repeat(30);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    private int urma(String... arguments) {
        return Main.commandLine(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "devices",
                "doctor",
                "demo",
                "share",
                "ls",
                "fetch",
                "put",
                "add",
                "decode",
                "tck",
                "admin",
                "perf",
                "perftest",
                "ping"
            })
    void everyCommandHelpsWithExamplesAndExitCodes(String command) {
        assertThat(urma(command, "--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("Usage: urma " + command)
                .contains("Examples:\n  ")
                .contains("Exit codes:");
    }

    @Test
    void devicesWithMemoryOfTheirOwnAreListed() {
        System.setProperty("urma.npu", "2,profile=nvidia-persistent,memory=64M");
        try {
            assertThat(urma("devices", "--memory")).isZero();
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .contains("npu 1.0", "simulated NPU (nvidia-persistent)", "64 MiB", "leaves pages pinned");
            out.reset();
            assertThat(urma("devices", "--memory", "--json")).isZero();
            assertThat(out.toString(StandardCharsets.UTF_8)).contains("\"ordinal\"", "\"lengthBytes\"", "67108864");
        } finally {
            System.clearProperty("urma.npu");
        }
    }

    @Test
    void portsHaveTheirFieldsInOrder() {
        assertThat(urma("devices", "--json")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("\"ports\" : \\[ \\{\\s+\"number\" : \\d+,\\s+\"active\" : \\w+,\\s+\"mtuBytes\" : ");
    }

    @Test
    void withoutDeviceMemoryTheReasonIsGiven() {
        System.setProperty("urma.cuda.library", "/nonexistent/libcuda.so.1"); // as on a machine without a GPU
        try {
            assertThat(urma("devices", "--memory")).isEqualTo(1);
            assertThat(err())
                    .contains("urma: no memory of npu: ", "URMA_NPU=2")
                    .contains("urma: no memory of cuda: ", "/nonexistent/libcuda.so.1, which is no library")
                    .doesNotContain("\tat ");
        } finally {
            System.clearProperty("urma.cuda.library");
        }
    }

    private int urmaWithOutputThatFails(String why, String... arguments) {
        StandardOutput full = new StandardOutput(new OutputStream() {
            @Override
            public void write(int letter) throws IOException {
                throw new IOException(why);
            }
        });
        return Main.run(full, new PrintStream(err, true, StandardCharsets.UTF_8), arguments);
    }

    @Test
    void aFullStandardOutputIsAFailure() {
        assertThat(urmaWithOutputThatFails("No space left on device", "--help")).isEqualTo(1);
        assertThat(err()).isEqualTo("urma: cannot write standard output: No space left on device\n");
    }

    @Test
    void aFullStandardOutputEndsACommandWithThatReasonAlone() {
        assertThat(urmaWithOutputThatFails("No space left on device", "simulate", "--minutes", "9", "--trace"))
                .isEqualTo(1);
        assertThat(err())
                .endsWith("urma: cannot write standard output: No space left on device\n")
                .doesNotContain("interrupted");
    }

    /** As {@code head} closes it. */
    @ParameterizedTest
    @ValueSource(strings = {"--help", "simulate --minutes 9 --trace"})
    void aPipeThatItsReaderHasClosedIsNothingToTell(String command) {
        assertThat(urmaWithOutputThatFails("Broken pipe", command.split(" ", -1)))
                .isEqualTo(141);
        assertThat(err()).doesNotContain("interrupted", "standard output");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aWriteThatFailsInterruptsTheCommand() {
        StandardOutput closed = new StandardOutput(new OutputStream() {
            @Override
            public void write(int letter) throws IOException {
                throw new IOException("Broken pipe");
            }
        });

        assertThatThrownBy(() -> closed.write('x')).isInstanceOf(IOException.class);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void helpDoesNotShowThePartsOfTheDemo() {
        assertThat(urma("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("generate-completion")
                .doesNotContain("demo-home");
    }

    @Test
    void withoutACommandItTellsWhichThereAre() {
        assertThat(urma()).isEqualTo(2);
        assertThat(err()).contains("Commands:").contains("fetch");
    }

    @Test
    void aWrongCommandIsOneLineAndAHint() {
        assertThat(urma("fetsh")).isEqualTo(2);
        assertThat(err()).isEqualTo("urma: no command 'fetsh'; did you mean 'urma fetch'?\nurma: see 'urma --help'\n");
    }

    @Test
    void aCommandOfCommandsTellsThatOneIsMissing() {
        assertThat(urma("admin")).isEqualTo(2);
        assertThat(err()).startsWith("urma: admin needs a command: show, stats, top or events\n");
    }

    @ParameterizedTest
    @CsvSource({"--json dev shm0, dev", "--whole pool, pool", "--watch 1 peer, peer"})
    void optionsBeforeASubcommandAreRefused(String words, String subcommand) {
        assertThat(urma(("admin show " + words).split(" ", -1))).isEqualTo(2);
        assertThat(err())
                .startsWith(
                        "urma: options go behind the subcommand, as in 'urma admin show " + subcommand + " --json'\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "add shm:x x 1          | urma: OFFSET: 'x' is not a number of bytes",
                "add shm:x 0 x          | urma: DELTA: 'x' is not a whole number in range",
                "add shm:x 3 1          | urma: OFFSET: 3 is not a multiple of 8",
                "share f -n 8           | urma: give FILE or --bytes, not both",
                "share                  | urma: give FILE or -n",
                "devices x              | urma: 'urma devices' does not take the argument 'x'",
                "ls -d foo0             | urma: no device 'foo0'; there are ",
            })
    void aWrongUseIsToldInTheWordsOfTheHelp(String command, String message) {
        urma(command.split(" ", -1));
        assertThat(err()).startsWith(message);
    }

    @Test
    void aShareLineAsAnArgumentIsRefusedWithTheReason() {
        assertThat(urma("fetch", LINE)).isEqualTo(2);
        assertThat(err()).contains("'ps' shows arguments").doesNotContain("S3cReT");
    }

    @Test
    void aShareLineInAWrongPlaceIsNotRepeated() {
        assertThat(urma("fetch", "-", LINE)).isEqualTo(2);
        assertThat(err()).contains("(a share line)").doesNotContain("S3cReT");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "share",
                "share -n 0",
                "fetch nonsense",
                "add shm:x 0",
                "ls --nonsense",
                "demo --size 8q",
                "ping -s 969 ::1",
                "perftest write_fast --local",
                "perftest -P 65536",
                "perftest write_lat -S host -P 0",
                "decode",
                "pingpong -s 4G",
                "share -n 8 --for 9999999h",
                "simulate --minutes 0",
                "simulate --minutes=-1",
                "simulate --minutes NaN"
            })
    void aWrongUseIsNoFaultOfTheMachine(String command) {
        assertThat(urma(command.split(" ", -1))).isEqualTo(2);
        assertThat(err()).startsWith("urma: ").contains("--help'").doesNotContain("doctor");
    }

    @Test
    void aDamagedShareLineIsNoFaultOfTheMachine() throws Exception {
        assertThat(urma("fetch", "@" + file(LINE))).isEqualTo(1);
        assertThat(err())
                .startsWith("urma: the share line is not valid: ")
                .doesNotContain("doctor")
                .hasLineCount(1);
    }

    @Test
    void sizesMustBeSizes() {
        assertThat(urma("demo", "--size", "8q")).isEqualTo(2);
        assertThat(err()).contains("'8q' is not a number of bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo --size 0", "share -n 0"})
    void sizesMustBeMoreThanNothing(String command) {
        assertThat(urma(command.split(" ", -1))).isEqualTo(2);
        assertThat(err()).contains("there must be at least 1 byte");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo --memory npu:", "perftest write_bw --local --memory npu:9999"})
    void memoryIsTheHostsOrADevices(String command) {
        assertThat(urma(command.split(" ", -1))).isEqualTo(2);
        assertThat(err()).contains("is no memory; write it as host, npu:0 or cuda:0");
    }

    @Test
    void memoryOfTheTckIsADevices() {
        assertThat(urma("tck", "--memory", "npu:x")).isEqualTo(2);
        assertThat(err()).contains("--memory is npu:x, must be a client and a device, such as npu:0");
    }

    @Test
    void aFileHasASizeOfItsOwn() throws Exception {
        assertThat(urma("demo", file("x"), "--size", "1M")).isEqualTo(2);
        assertThat(err()).contains("FILE and --size exclude each other");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "share"})
    void aMissingFileIsNamed(String command) {
        assertThat(urma(command, folder.resolve("no").toString())).isEqualTo(1);
        assertThat(err()).isEqualTo("urma: file '" + folder.resolve("no") + "' does not exist\n");
    }

    @Test
    void aFolderHoldsNoShareLine() {
        assertThat(urma("fetch", "@" + folder)).isEqualTo(1);
        assertThat(err()).isEqualTo("urma: file '" + folder + "' is a directory\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "share"})
    void aFolderIsNoFile(String command) {
        assertThat(urma(command, folder.toString())).isEqualTo(1);
        assertThat(err()).isEqualTo("urma: file '" + folder + "' is a directory\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "share"})
    void anEmptyFileHoldsNothingToShare(String command) throws Exception {
        assertThat(urma(command, file(""))).isEqualTo(1);
        assertThat(err()).contains("is empty; there must be at least 1 byte");
    }

    @ParameterizedTest
    @ValueSource(strings = {"share -n 4096T", "demo --size 4096T", "demo --size 9223372036854775807"})
    void whatIsLargerThanTheMachineIsRefusedWithBothSizes(String command) {
        assertThat(urma(command.split(" ", -1))).isEqualTo(1);
        assertThat(err()).contains("is too large: it needs ").contains(" are available (");
    }

    @Test
    void standardInputCannotBeTwoThings() {
        assertThat(urma("put", "-", "-")).isEqualTo(2);
        assertThat(err()).contains("standard input cannot be both");
    }

    @Test
    void aShareIsAFileOrZeroes() throws Exception {
        assertThat(urma("share")).isEqualTo(2);
        assertThat(urma("share", file("x"), "-n", "8")).isEqualTo(2);
    }

    @Test
    void optionsOfPerftestThatClashAreNamedBeforeAnythingStarts() {
        assertThat(urma("perftest", "write_lat", "--local", "-p", "UM")).isEqualTo(2);
        assertThat(err()).startsWith("urma: --trans_mode UM and write_lat clash: datagrams are messages only\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "perftest write_lat --local -S host",
                "perftest write_lat --local -P 5",
                "perftest write_bw --local -y --plot x.svg",
                "perftest write_bw --local -y --json",
                "perftest write_bw --local -I 8 --memory npu",
                "perftest write_bw --local -I 8 --server_memory npu"
            })
    void whatPerftestDecidesForItselfClashesToo(String command) {
        assertThat(urma(command.split(" ", -1))).isEqualTo(2);
        assertThat(err()).contains(" clash: ");
    }

    @Test
    void aServerOfPerftestPrintsNoTable() {
        assertThat(urma("perftest", "write_lat", "--json")).isEqualTo(2);
        assertThat(err()).contains("--json means nothing without --server or --local");
    }

    @Test
    void aServerOfPerftestHasMemoryOfItsOwn() {
        assertThat(urma("perftest", "write_bw", "-S", "host", "--server_memory", "npu"))
                .isEqualTo(2);
        assertThat(err()).contains("--server_memory means nothing without --local");
    }

    @Test
    void theStackIsForThoseWhoAsk() {
        urma("share", "--debug", folder.toString());
        assertThat(err()).contains("CommandFailure").contains("\tat ");
    }

    private String file(String content) throws Exception {
        return Files.writeString(folder.resolve("file"), content).toString();
    }
}
