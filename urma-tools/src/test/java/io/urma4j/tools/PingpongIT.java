package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
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

    private static int freePort() throws Exception {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }
}
