package io.urma4j.tools;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two of our own against each other; against those of Linux it is {@link InteropIT}. */
class PingpongIT extends WithShell {
    @ParameterizedTest
    @CsvSource({"--rc, 10000, 127.0.85.1, 127.0.85.2", "--ud, 1000, 127.0.85.3, 127.0.85.4"})
    void bothSidesPlayToTheEnd(String transport, int bytes, String serverAddress, String clientAddress)
            throws Exception {
        String port = Integer.toString(freePort());
        String[] game = {"pingpong", transport, "-n", "200", "-s", Integer.toString(bytes), "-p", port, "-g"};

        Running server = shell.start(plus(game, serverAddress));
        Ended client = shell.run(plus(game, clientAddress, "127.0.0.1"));
        Ended served = server.ended();

        for (Ended each : new Ended[] {client, served}) {
            assertThat(each.exitCode()).as(each.out() + each.err()).isZero();
            assertThat(each.out()).contains(2 * 200 * bytes + " bytes in ", "200 iters in ");
        }
        assertThat(client.out()).containsPattern("local address: .*" + gid(clientAddress));
        assertThat(client.out()).containsPattern("remote address: .*" + gid(serverAddress));
        assertThat(served.out()).containsPattern("remote address: .*" + gid(clientAddress));
    }

    /** Whichever side has the longer messages or packets. */
    @ParameterizedTest
    @CsvSource({"-s 4096, -s 1024", "-s 1024, -s 4096", "-m 1024, -m 2048", "-m 2048, -m 1024"})
    void aMismatchIsToldAtOnceOnBothSides(String ofServer, String ofClient) throws Exception {
        String port = Integer.toString(freePort());
        String[] game = {"pingpong", "-p", port, "-g"};
        Running server = shell.start(plus(plus(game, "127.0.85.6"), ofServer.split(" ")));

        long start = System.nanoTime();
        Ended client = shell.run(plus(plus(game, "127.0.85.7", "127.0.0.1"), ofClient.split(" ")));
        Ended served = server.ended();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(9));
        for (Ended each : new Ended[] {client, served}) {
            assertThat(each.exitCode()).as(each.out() + each.err()).isOne();
            assertThat(each.err()).startsWith("urma: ").endsWith(": both sides need the same -s and -m\n");
        }
    }

    @Test
    void aClientThatNeverSendsIsWaitedForSecondsAlone() throws Exception {
        int port = freePort();
        Running server = shell.start("pingpong", "-p", Integer.toString(port), "-g", "127.0.85.8");
        server.awaitOut("local address");
        try (Socket other = connect(port)) { // a program of another transport meets us just as ours do
            other.getOutputStream().write("0000:000011:abcdef:00000000000000000000ffff7f005509\0".getBytes(US_ASCII));
            assertThat(other.getInputStream().readNBytes(52)).hasSize(52);
            other.getOutputStream().write("done\0".getBytes(US_ASCII));

            Ended ended = server.ended();

            assertThat(ended.exitCode()).isOne();
            assertThat(ended.err()).contains("no packet arrived for 10 s", "ibv_rc_pingpong");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void aServerThatWaitsForAClientEndsAtOnce(String signal) throws Exception {
        Running server = shell.start("pingpong", "-p", Integer.toString(freePort()), "-g", "127.0.85.5");
        server.awaitOut("local address");

        long start = System.nanoTime();
        server.signal(signal);
        Ended ended = server.ended();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(130);
        assertThat(ended.err()).isEqualTo("urma: interrupted\n");
    }

    private static String gid(String address) {
        return "(::ffff:)?" + address.replace(".", "\\.");
    }

    private static String[] plus(String[] words, String... more) {
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return all;
    }

    private static Socket connect(int port) {
        return await().ignoreException(ConnectException.class)
                .until(() -> new Socket(InetAddress.getLoopbackAddress(), port), Objects::nonNull);
    }

    private static int freePort() throws Exception {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }
}
