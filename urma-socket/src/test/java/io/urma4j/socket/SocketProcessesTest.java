package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.peering.SocketSettings.Mode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections over rings between processes, some of which are killed. */
@Timeout(120)
class SocketProcessesTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration LONG = Duration.ofSeconds(30);

    /** Prints its port, and sends back what each connection sends it; after a connection of one byte 'x' it only sleeps. */
    static final class Echo {
        public static void main(String[] arguments) throws Exception {
            ServerSocketChannel listener =
                    providerIn(Path.of(arguments[0])).openServerSocketChannel().bind(LOOPBACK);
            System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
            while (true) {
                SocketChannel connection = listener.accept();
                Thread.ofVirtual().start(() -> echo(connection));
            }
        }

        private static void echo(SocketChannel connection) {
            try (connection) {
                ByteBuffer bytes = ByteBuffer.allocateDirect(8192);
                while (connection.read(bytes.clear()) >= 0) {
                    if (bytes.position() == 1 && bytes.get(0) == 'x') {
                        Thread.sleep(LONG);
                    }
                    connection.write(bytes.flip());
                }
            } catch (IOException | InterruptedException e) {
                System.out.println(e);
            }
        }
    }

    /** Prints its port, and ends after the first byte of a connection, which a hook of its own uses further. */
    static final class Ending {
        public static void main(String[] arguments) throws Exception {
            ServerSocketChannel listener =
                    providerIn(Path.of(arguments[0])).openServerSocketChannel().bind(LOOPBACK);
            System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
            SocketChannel connection = listener.accept();
            ByteBuffer one = ByteBuffer.allocate(1);
            connection.read(one);
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                awaitOtherHooks(before);
                try {
                    connection.write(one.flip());
                    connection.read(one.clear());
                    connection.write(one.flip());
                } catch (IOException e) {
                    System.out.println(e);
                }
            }));
            System.exit(0);
        }

        /** All hooks start at once. What they do is over when their threads are. */
        private static void awaitOtherHooks(Set<Thread> before) {
            LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (!before.contains(thread) && !thread.isDaemon() && !thread.equals(Thread.currentThread())) {
                    try {
                        thread.join(LONG);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }
        }
    }

    /** Prints its port, writes to a connection what its ring holds, and returns from main without a close. */
    static final class Leaving {
        static final int LENGTH = 200_000;

        public static void main(String[] arguments) throws Exception {
            ServerSocketChannel listener =
                    providerIn(Path.of(arguments[0])).openServerSocketChannel().bind(LOOPBACK);
            System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
            listener.accept().write(bytes());
        }

        static ByteBuffer bytes() {
            ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
            for (int i = 0; i < LENGTH; i++) {
                bytes.put(i, (byte) (i % 251));
            }
            return bytes;
        }
    }

    private static UrmaSelectorProvider providerIn(Path directory) {
        SocketSettings settings = SocketSettings.of(Mode.AUTO).withOfferTimeout(Duration.ofSeconds(10));
        return new UrmaSelectorProvider(OverRings.node(settings, directory));
    }

    private final OverRings rings = isOfNetwork() ? OverRings.ofNetwork(settings -> settings) : new OverRings();
    private final List<Process> processes = new ArrayList<>();

    /** Whether the processes are as of two hosts. */
    boolean isOfNetwork() {
        return false;
    }

    /** What a connection of a process sees that was killed, or has ended without a close. */
    void assertEndOfProcess(SocketChannel channel) throws IOException {
        assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    @AfterEach
    void end() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly();
            process.waitFor(10, TimeUnit.SECONDS);
        }
        rings.close();
    }

    private Process start() throws IOException {
        return start(Echo.class);
    }

    private Process start(Class<?> program, String... options) throws IOException {
        List<String> command = JavaProcess.command(
                System.getProperty("java.class.path"),
                program,
                rings.directory().toString());
        command.add(1, "-D" + OverRings.NETWORK + "=" + isOfNetwork());
        command.addAll(1, List.of(options));
        Process process = JavaProcess.start(command);
        processes.add(process);
        return process;
    }

    private static InetSocketAddress addressOf(Process echo) throws IOException {
        BufferedReader output = echo.inputReader();
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(output.readLine()));
    }

    private SocketChannel connect(InetSocketAddress address) throws IOException {
        SocketChannel channel = rings.provider().openSocketChannel();
        channel.connect(address);
        assertThat(OverRings.isOverRings(channel))
                .as("%s", channel.getOption(UrmaSocketOptions.FALLBACK_REASON))
                .isTrue();
        return channel;
    }

    private static void echo(SocketChannel channel, int length) throws Exception {
        ByteBuffer sent = ByteBuffer.allocate(length);
        for (int i = 0; i < length; i++) {
            sent.put(i, (byte) (i >> 3));
        }
        ByteBuffer received = ByteBuffer.allocate(length);
        Thread writing = Thread.ofVirtual().start(() -> {
            try {
                channel.write(sent.duplicate());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        while (received.hasRemaining()) {
            assertThat(channel.read(received)).isPositive();
        }
        assertThat(received.flip()).isEqualTo(sent);
        writing.join();
    }

    @Test
    void bytesCrossBetweenProcesses() throws Exception {
        InetSocketAddress address = addressOf(start());
        try (SocketChannel channel = connect(address);
                SocketChannel another = connect(address)) {
            echo(channel, 3_000_000);
            echo(another, 10);
            channel.shutdownOutput();
            assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void aKilledServerIsSeenAsTheKernelShowsIt() throws Exception {
        Process server = start();
        InetSocketAddress address = addressOf(server);
        try (SocketChannel channel = connect(address);
                SocketChannel unread = connect(address)) {
            echo(channel, 100);
            unread.write(ByteBuffer.wrap(new byte[] {'x'}));
            server.destroyForcibly().waitFor();

            assertEndOfProcess(channel);
            assertThatThrownBy(() -> {
                        while (true) {
                            unread.write(ByteBuffer.allocate(100_000));
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> rings.provider().openSocketChannel().connect(address))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aProcessThatEndsKeepsItsConnectionsToTheLast() throws Exception {
        Process server = start(Ending.class);
        ByteBuffer one = ByteBuffer.allocate(1);
        try (SocketChannel channel = connect(addressOf(server))) {
            channel.write(one);
            assertThat(channel.read(one.clear())).isOne();
            channel.write(one.flip());
            assertThat(channel.read(one.clear())).isOne();
            assertEndOfProcess(channel);
        }
        assertThat(server.waitFor()).isZero();
    }

    @Test
    void whatAProcessHasWrittenAsItEndsComes() throws Exception {
        Process server =
                start(Leaving.class, "-Durma.udma.loss=0.3:1"); // so that the device has work when main returns
        ByteBuffer received = ByteBuffer.allocate(Leaving.LENGTH + 1);
        try (SocketChannel channel = connect(addressOf(server))) {
            while (received.position() < Leaving.LENGTH) {
                assertThat(channel.read(received)).isPositive();
            }
            assertEndOfProcess(channel);
        }
        assertThat(received.flip()).isEqualTo(Leaving.bytes());
        assertThat(server.waitFor()).isZero();
    }

    @Test
    void aServerThatStartsAgainAtThePortIsFound() throws Exception {
        for (int i = 0; i < 3; i++) {
            Process server = start();
            try (SocketChannel channel = connect(addressOf(server))) {
                echo(channel, 1000);
            }
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void aStoppedServerCostsAConnectionItsTimeoutAndNoMore() throws Exception {
        Process server = start();
        InetSocketAddress address = addressOf(server);
        connect(address).close();
        SocketSettings hasty = SocketSettings.of(Mode.AUTO).withOfferTimeout(Duration.ofMillis(50));
        LazyNode node = OverRings.node(hasty, rings.directory(), isOfNetwork());
        JavaProcess.signal(server.pid(), "STOP");
        try (SocketChannel first = new UrmaSelectorProvider(node).openSocketChannel();
                SocketChannel second = new UrmaSelectorProvider(node).openSocketChannel()) {
            long began = System.nanoTime();
            first.connect(address);
            second.connect(address);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
            assertThat(first.getOption(UrmaSocketOptions.TRANSPORT)).isEqualTo("tcp");

            JavaProcess.signal(server.pid(), "CONT");
            first.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            assertThat(first.read(ByteBuffer.allocate(3))).isPositive();
        } finally {
            node.close();
        }
    }
}
