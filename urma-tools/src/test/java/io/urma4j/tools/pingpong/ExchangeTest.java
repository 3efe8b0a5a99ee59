package io.urma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Eid;
import io.urma4j.tools.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExchangeTest {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Destination OURS = new Destination(0x11, 0xFFFFF0, Eid.parse("10.77.0.1"));
    private static final Destination THEIRS = new Destination(0xABCDEF, 0, Eid.parse("fd77::b"));
    private static final String CLIENT_LINE = "0000:000011:fffff0:00000000000000000000ffff0a4d0001\0";
    private static final String SERVER_LINE = "0000:abcdef:000000:fd77000000000000000000000000000b\0";

    @Test
    void addressesLookAsThoseOfLinux() {
        assertThat(new String(OURS.toBytes(), StandardCharsets.US_ASCII)).isEqualTo(CLIENT_LINE);
        assertThat(Destination.parse(SERVER_LINE.getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo(THEIRS);
        assertThat(OURS).hasToString("LID 0x0000, QPN 0x000011, PSN 0xfffff0, GID ::ffff:10.77.0.1");
    }

    @Test
    void ourTwoSidesUnderstandEachOther() throws Exception {
        int port = freePort();
        List<Destination> heard = new ArrayList<>();
        FutureTask<Destination> server = run(() -> {
            try (Exchange exchange = Exchange.accept(LOOPBACK, port, LONG)) {
                return exchange.asServer(THEIRS, heard::add);
            }
        });

        try (Exchange exchange = Exchange.connect(LOOPBACK, port, LONG)) {
            assertThat(exchange.asClient(OURS)).isEqualTo(THEIRS);
        }

        assertThat(server.get()).isEqualTo(OURS);
        assertThat(heard).containsExactly(OURS);
    }

    @Test
    void theClientSpeaksAsAServerOfLinuxExpectsIt() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, LOOPBACK)) {
            FutureTask<Destination> client = run(() -> {
                try (Exchange exchange = Exchange.connect(LOOPBACK, listener.getLocalPort(), LONG)) {
                    return exchange.asClient(OURS);
                }
            });
            try (Socket peer = listener.accept()) {
                assertThat(text(peer, 52)).isEqualTo(CLIENT_LINE);
                tell(peer, SERVER_LINE);
                assertThat(text(peer, 5)).isEqualTo("done\0");
            }
            assertThat(client.get()).isEqualTo(THEIRS);
        }
    }

    @Test
    void aLineThatComesInPiecesIsTakenWhole() throws Exception {
        int port = freePort();
        FutureTask<Destination> server = run(() -> serve(port, LONG));

        try (Socket client = connect(port)) {
            for (int i = 0; i < CLIENT_LINE.length(); i++) {
                char each = CLIENT_LINE.charAt(i);
                tell(client, String.valueOf(each));
            }
            text(client, 52);
            tell(client, "do");
            tell(client, "ne\0");

            assertThat(server.get()).isEqualTo(OURS);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: example.org\r\nAccept: text/html\r\n\r\n",
                "0000:000011:fffff0:00000000000000000000ffff0a4d0001x",
                "0000:000011:fffff0:00000000000000000000ffff0a4d00\0\0\0",
                "0000:00zz11:fffff0:00000000000000000000ffff0a4d0001\0",
                "0000:000011:fffff0:00000000000000000000000000000000\0"
            })
    void whatIsNoAddressIsRefused(String line) throws Exception {
        int port = freePort();
        FutureTask<Destination> server = run(() -> serve(port, LONG));

        try (Socket client = connect(port)) {
            tell(client, line);

            assertThat(failure(server)).contains("peer");
        }
    }

    @Test
    void aPeerThatGoesInTheMiddleIsTold() throws Exception {
        int port = freePort();
        FutureTask<Destination> server = run(() -> serve(port, LONG));

        try (Socket client = connect(port)) {
            tell(client, CLIENT_LINE.substring(0, 30));
        }

        assertThat(failure(server)).isEqualTo("the peer disconnected after 30 of the 52 bytes of its address");
    }

    @Test
    void aPeerThatEndsOtherwiseIsTold() throws Exception {
        int port = freePort();
        FutureTask<Destination> server = run(() -> serve(port, LONG));

        try (Socket client = connect(port)) {
            tell(client, CLIENT_LINE);
            text(client, 52);
            tell(client, "gone\0");

            assertThat(failure(server)).isEqualTo("the peer did not end the exchange with 'done'");
        }
    }

    @Test
    void aSilentPeerIsWaitedForSoLongAndNoLonger() throws Exception {
        int port = freePort();
        FutureTask<Destination> server = run(() -> serve(port, Duration.ofMillis(500)));

        try (Socket client = connect(port)) {
            tell(client, "0000");

            assertThat(failure(server)).isEqualTo("the peer sent 4 of the 52 bytes of its address in time");
        }
    }

    @Test
    void nobodyThereIsTold() throws Exception {
        int port = freePort();

        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> Exchange.connect(LOOPBACK, port, SHORT))
                .withMessageContaining("no process accepts the connection at 127.0.0.1 port " + port);
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> Exchange.accept(LOOPBACK, port, SHORT))
                .withMessage("no client came to TCP port " + port + " in time");
    }

    private static Destination serve(int port, Duration timeout) {
        try (Exchange exchange = Exchange.accept(LOOPBACK, port, timeout)) {
            return exchange.asServer(THEIRS, _ -> {});
        }
    }

    private static Socket connect(int port) throws Exception {
        long end = System.nanoTime() + LONG.toNanos();
        while (true) {
            try {
                return new Socket(LOOPBACK, port);
            } catch (IOException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    private static String failure(FutureTask<?> task) throws InterruptedException {
        try {
            task.get();
            throw new AssertionError("it did not fail");
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(CommandFailure.class);
            return String.valueOf(e.getCause().getMessage());
        }
    }

    private static <T> FutureTask<T> run(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofVirtual().start(task);
        return task;
    }

    private static void tell(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(Socket socket, int count) throws IOException {
        return new String(socket.getInputStream().readNBytes(count), StandardCharsets.US_ASCII);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, LOOPBACK)) {
            return socket.getLocalPort();
        }
    }
}
