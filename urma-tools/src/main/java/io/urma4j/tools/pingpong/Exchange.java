package io.urma4j.tools.pingpong;

import io.urma4j.tools.CommandFailure;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The TCP connection by which both sides exchange their queues (WIRE §12.1): the client sends its own, the server gets
 * ready and sends its own, the client sends "done". Each message is one write, as the programs of Linux expect it.
 */
final class Exchange implements Closeable {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final long deadlineNanos;

    private Exchange(Socket socket, long deadlineNanos) {
        this.socket = socket;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Connects to a server, trying again until it listens.
     *
     * @throws CommandFailure when no server listens there within the timeout
     */
    static Exchange connect(InetAddress server, int port, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        InetSocketAddress address = new InetSocketAddress(server, port);
        IOException last = null;
        do {
            Socket socket = interruptible();
            try {
                socket.connect(address, millisLeft(deadline));
                socket.setTcpNoDelay(true);
                return new Exchange(socket, deadline);
            } catch (IOException e) {
                last = e;
                closeQuietly(socket);
            }
        } while (pause(deadline));
        throw new CommandFailure(
                "no process accepts the connection at " + server.getHostAddress() + " port " + port + " within "
                        + timeout.toSeconds() + " s: " + message(last),
                last);
    }

    /**
     * Waits for a client.
     *
     * @param timeout of the wait, and again of the exchange; null: none
     */
    static Exchange accept(@Nullable InetAddress address, int port, @Nullable Duration timeout) {
        try (ServerSocket listener = ServerSocketChannel.open().socket()) { // of a channel: an interrupt ends accept
            listener.setReuseAddress(true);
            listener.bind(address == null ? new InetSocketAddress(port) : new InetSocketAddress(address, port));
            listener.setSoTimeout(timeout == null ? 0 : (int) Math.max(1, timeout.toMillis()));
            Socket socket = listener.accept();
            socket.setTcpNoDelay(true);
            Duration rest = timeout == null ? Duration.ofSeconds(30) : timeout;
            return new Exchange(socket, System.nanoTime() + rest.toNanos());
        } catch (SocketTimeoutException e) {
            throw new CommandFailure("no client came to TCP port " + port + " in time", e);
        } catch (IOException e) {
            throw new CommandFailure("cannot listen at TCP port " + port + ": " + message(e), e);
        }
    }

    /** The client's part. */
    Destination asClient(Destination ours) {
        write(ours.toBytes());
        Destination theirs = Destination.parse(read(Destination.BYTES, "its address"));
        write(DONE);
        return theirs;
    }

    /**
     * The server's part.
     *
     * @param getReady receives the client's address before the client receives ours, after which the client may send
     */
    Destination asServer(Destination ours, Consumer<Destination> getReady) {
        Destination theirs = Destination.parse(read(Destination.BYTES, "its address"));
        getReady.accept(theirs);
        write(ours.toBytes());
        byte[] end = read(DONE.length, "'done'");
        if (!Arrays.equals(end, DONE)) {
            throw new CommandFailure("the peer did not end the exchange with 'done'");
        }
        return theirs;
    }

    private void write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new CommandFailure("the peer disconnected while our address was sent: " + message(e), e);
        }
    }

    private byte[] read(int count, String what) {
        byte[] bytes = new byte[count];
        int got = 0;
        try {
            while (got < count) {
                socket.setSoTimeout(millisLeft(deadlineNanos));
                int more = socket.getInputStream().read(bytes, got, count - got);
                if (more < 0) {
                    throw new CommandFailure(
                            "the peer disconnected after " + got + " of the " + count + " bytes of " + what);
                }
                got += more;
            }
            return bytes;
        } catch (SocketTimeoutException e) {
            throw new CommandFailure("the peer sent " + got + " of the " + count + " bytes of " + what + " in time", e);
        } catch (IOException e) {
            throw new CommandFailure("the peer disconnected while it sent " + what + ": " + message(e), e);
        }
    }

    /** A socket of a channel, since an interrupt ends its connect, read and write. */
    private static Socket interruptible() {
        try {
            return SocketChannel.open().socket();
        } catch (IOException e) {
            throw new CommandFailure("cannot open a TCP socket: " + message(e), e);
        }
    }

    private static boolean pause(long deadlineNanos) {
        if (System.nanoTime() - deadlineNanos >= 0) {
            return false;
        }
        try {
            Thread.sleep(100);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted", e);
        }
    }

    /** At least one: zero would mean without limit. */
    private static int millisLeft(long deadlineNanos) {
        return Math.clamp((deadlineNanos - System.nanoTime()) / 1_000_000, 1, Integer.MAX_VALUE);
    }

    private static String message(@Nullable IOException e) {
        return e == null ? "" : String.valueOf(e.getMessage());
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            assert e != null; // it was never connected, so no data is lost
        }
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    @Override
    public String toString() {
        return "exchange with " + socket.getRemoteSocketAddress();
    }
}
