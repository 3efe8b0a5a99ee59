package io.urma4j.socket;

import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.peering.SocketSettings.Mode;
import io.urma4j.tck.FaultPoints;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/** A process that is killed or stopped at a step, while it serves or connects. */
final class FaultVictim {
    /** What a message has: more than a ring holds, so that each end waits for room and for bytes. */
    static final int MESSAGE_BYTES = 40_000;

    private static final int RING_BYTES = 16 << 10;

    private FaultVictim() {}

    /** Short, since a process that is stopped is waited for. */
    static LazyNode node(Path directory) {
        return node(directory, OverRings.IS_OF_NETWORK);
    }

    static LazyNode node(Path directory, boolean isOfNetwork) {
        SocketSettings settings = SocketSettings.of(Mode.AUTO)
                .withOfferTimeout(Duration.ofMillis(200))
                .withRingBytes(RING_BYTES);
        return OverRings.node(settings, directory, isOfNetwork);
    }

    /**
     * Serves or connects, and prints the port of the server, or how many connections were over rings.
     *
     * @param arguments the runtime directory, the port for a client or 0, how many connections a client makes, the step or "-", KILL or
     *     STOP, and the number of the pass at which it strikes
     */
    public static void main(String[] arguments) throws Exception {
        var provider = new UrmaSelectorProvider(node(Path.of(arguments[0])));
        int port = Integer.parseInt(arguments[1]);
        if (!arguments[3].equals("-")) {
            FaultPoints.arm(arguments[3], () -> strike(arguments[4]), Integer.parseInt(arguments[5]));
        }
        if (port == 0) {
            ServerSocketChannel listener =
                    provider.openServerSocketChannel().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
            while (true) {
                SocketChannel accepted = listener.accept();
                Thread.ofVirtual().start(() -> echo(accepted));
            }
        }
        int overRings = 0;
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            if (exchange(provider, new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                overRings++;
            }
        }
        System.out.println(overRings);
        System.exit(0);
    }

    /** The other threads go on for a moment; this one is where it was. */
    private static void strike(String signal) {
        try {
            JavaProcess.signal(ProcessHandle.current().pid(), signal);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Sends back what comes, until the peer has gone. */
    static void echo(SocketChannel connection) {
        try (connection) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(MESSAGE_BYTES);
            while (connection.read(bytes.clear()) >= 0) {
                connection.write(bytes.flip());
            }
        } catch (IOException e) {
            // the peer was killed
        }
    }

    /**
     * Connects, and sends a message and verifies its echo. Returns whether the connection was over rings.
     *
     * @throws IOException if the peer has gone before all has come back
     * @throws AssertionError if something else comes back
     */
    static boolean exchange(UrmaSelectorProvider provider, InetSocketAddress server) throws IOException {
        try (SocketChannel channel = provider.openSocketChannel()) {
            channel.connect(server);
            Thread writing = Thread.ofVirtual().start(() -> send(channel));
            ByteBuffer received = ByteBuffer.allocate(MESSAGE_BYTES);
            while (received.hasRemaining()) {
                if (channel.read(received) < 0) {
                    throw new IOException("ended after " + received.position() + " bytes");
                }
            }
            for (int i = 0; i < MESSAGE_BYTES; i++) {
                if (received.get(i) != value(i)) {
                    throw new AssertionError("byte " + i + " is " + received.get(i));
                }
            }
            writing.join();
            return OverRings.isOverRings(channel);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void send(SocketChannel channel) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(MESSAGE_BYTES);
        for (int i = 0; i < MESSAGE_BYTES; i++) {
            bytes.put(i, value(i));
        }
        try {
            channel.write(bytes);
        } catch (IOException e) {
            // the peer was killed, as the reader sees
        }
    }

    private static byte value(int position) {
        return (byte) (position * 31 >> 3);
    }
}
