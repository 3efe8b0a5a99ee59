package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keeping what a program's network devices send and receive, and looking at it. */
class CaptureIT extends WithShell {
    @BeforeEach
    void takeAnAddressOfItsOwn() {
        shell.with("URMA_UDMA_ADDRESSES", "127.0.84.3");
    }

    private Ended capture(String... options) throws Exception {
        String[] program = {"urma", "tck", "--device", "udma0", "--filter", "messagesArriveInOrderAndOnce"};
        String[] all = Arrays.copyOf(options, options.length + program.length);
        System.arraycopy(program, 0, all, options.length, program.length);
        return shell.run(all);
    }

    private Ended decoded(Path file) throws Exception {
        return shell.run("decode", "--summary", "--json", file.toString());
    }

    @Test
    void everythingThatAProgramSendsAndReceivesIsKept() throws Exception {
        Path file = folder.resolve("f.pcap");

        Ended program = capture("capture", "-o", file.toString());
        Ended decoded = decoded(file);

        assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
        assertThat(program.out()).containsPattern("[1-9]\\d* passed, 0 failed");
        assertThat(decoded.exitCode()).as(decoded.out() + decoded.err()).isZero();
        assertThat(decoded.out())
                .contains("\"icrcWrong\" : 0", "\"malformed\" : 0", "\"icrcNotVerifiable\" : 0", "\"sentAgain\" : ")
                .doesNotContain("\"icrcRight\" : 0,");
    }

    /**
     * All queues of two contexts share a connection, whose packets must be distinguished as those of a queue pair are.
     */
    @Test
    void whatIsSentAgainIsCountedBetweenTwoOfUs() throws Exception {
        Path file = folder.resolve("lossy.pcap");
        shell.with("URMA_UDMA_LOSS", "0.03:5");

        Ended program = capture("capture", "-o", file.toString());
        Ended decoded = decoded(file);

        assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
        assertThat(decoded.exitCode()).as(decoded.out() + decoded.err()).isZero();
        assertThat(decoded.out())
                .contains("\"icrcNotVerifiable\" : 0", "\"sentAgain\" : ")
                .doesNotContain("\"sentAgain\" : 0,");
    }

    @Test
    void aLimitIsKept() throws Exception {
        Path file = folder.resolve("short.pcap");

        Ended program = capture("capture", "--limit", "10k", "-o", file.toString());

        assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
        assertThat(Files.size(file)).isBetween(5_000L, 10_240L);
    }

    @Test
    void theExitCodeIsThatOfTheProgramAndWhatCannotBeDoneIsTold() throws Exception {
        String file = folder.resolve("none.pcap").toString();

        Ended without = shell.run("capture", "-o", file, "sh", "-c", "exit 7");
        Ended nowhere = shell.run("capture", "-o", folder.resolve("no/f.pcap").toString(), "true");
        Ended unknown = shell.run("capture", "-o", file, "no-such-program");

        assertThat(without.exitCode()).isEqualTo(7);
        assertThat(without.err()).contains("the program opened no udma device, so there is no ");
        assertThat(nowhere.exitCode()).isEqualTo(1);
        assertThat(nowhere.err()).contains("it is not a file in a directory");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err()).contains("no program 'no-such-program'");
    }

    /** As root, it deleted a device node such as {@code /dev/null}. */
    @Test
    void whatIsNoRegularFileIsRefusedAndStays() throws Exception {
        Path socket = folder.resolve("socket");
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("f.pcap"));
        try (ServerSocketChannel bound = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            bound.bind(UnixDomainSocketAddress.of(socket));
            for (Path special : new Path[] {socket, link}) {
                Ended ended = shell.run("capture", "-o", special.toString(), "true");

                assertThat(ended.exitCode()).as(ended.err()).isEqualTo(1);
                assertThat(ended.err())
                        .isEqualTo("urma: cannot write " + special + ": it exists, and is no regular file\n");
            }
        }
        assertThat(Files.exists(socket)).isTrue();
        assertThat(link).isSymbolicLink();
    }

    @Test
    void theProgramEndsBeforeTheCommandThatRunsIt() throws Exception {
        Path ended = folder.resolve("ended");
        String program = "trap 'sleep 1; touch " + ended + "; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
        Running capture = shell.start("capture", "-o", folder.resolve("f.pcap").toString(), "sh", "-c", program);
        capture.awaitOut("ready\n");

        capture.signal("TERM");

        assertThat(capture.ended().exitCode()).as(capture.err()).isEqualTo(130);
        assertThat(ended).exists();
    }

    @Test
    void aProgramThatDoesNotExistLeavesTheCaptureOfAnEarlierRun() throws Exception {
        Path file = Files.writeString(folder.resolve("f.pcap"), "earlier");

        Ended unknown = shell.run("capture", "-o", file.toString(), "no-such-program");

        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err()).contains("no program 'no-such-program'");
        assertThat(file).hasContent("earlier");
    }
}
