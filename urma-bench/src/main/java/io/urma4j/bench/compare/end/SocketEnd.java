package io.urma4j.bench.compare.end;

import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Blocking channels of the JDK's API, of whatever provider the JVM has. Each end has one thread, which reads and writes. */
public final class SocketEnd implements Participant {
    /** System property: {@code true} for Unix-domain channels in place of TCP. */
    public static final String UNIX_DOMAIN = "urma.bench.unix";

    private static final boolean IS_UNIX_DOMAIN = Boolean.getBoolean(UNIX_DOMAIN);
    private static final long STOP = -1;
    private static final int CONNECTIONS = 50;
    private static final long LOOK_MILLIS = 20;

    private int served;

    @Override
    public String version() {
        return System.getProperty("java.runtime.version");
    }

    // ---- the home

    @Override
    public Serving serve(Task task, String leaderAddress) throws IOException {
        ServerSocketChannel listener =
                IS_UNIX_DOMAIN ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
        listener.bind(
                IS_UNIX_DOMAIN
                        ? UnixDomainSocketAddress.of(path())
                        : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return new Serving() {
            @Override
            public String address() {
                return lineOf(listener);
            }

            @Override
            public void run(BooleanSupplier told) throws IOException {
                Home home = new Home(task, listener);
                Thread watch = Thread.ofPlatform().daemon().start(() -> home.closeWhen(told));
                try {
                    home.run();
                } finally {
                    watch.interrupt();
                    home.close();
                }
            }
        };
    }

    private Path path() {
        Path folder = Path.of(System.getProperty("urma.folder", System.getProperty("java.io.tmpdir")));
        return folder.resolve("sockets-" + ProcessHandle.current().pid() + "-" + served++);
    }

    private static String lineOf(ServerSocketChannel listener) {
        try {
            return listener.getLocalAddress() instanceof InetSocketAddress address
                    ? String.valueOf(address.getPort())
                    : listener.getLocalAddress().toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Serves one connection after the other until one says {@link #STOP}. */
    private static final class Home {
        private final Task task;
        private final ServerSocketChannel listener;
        private volatile @Nullable SocketChannel channel;

        Home(Task task, ServerSocketChannel listener) {
            this.task = task;
            this.listener = listener;
        }

        void run() throws IOException {
            ByteBuffer message = ByteBuffer.allocateDirect(task.bytes());
            try {
                boolean isStopped = false;
                while (!isStopped) {
                    try (SocketChannel accepted = listener.accept()) {
                        channel = accepted;
                        isStopped = serve(connected(accepted), message);
                    }
                }
            } catch (AsynchronousCloseException e) {
                // the leader has failed
            }
        }

        private boolean serve(SocketChannel from, ByteBuffer message) throws IOException {
            boolean returnsAll = task.work() != Work.SEND_RATE;
            while (read(from, message)) {
                boolean isStop = message.getLong(0) == STOP;
                if (returnsAll || isStop) {
                    write(from, message);
                }
                if (isStop) {
                    return true;
                }
            }
            return false;
        }

        void closeWhen(BooleanSupplier told) {
            try {
                while (!told.getAsBoolean()) {
                    Thread.sleep(LOOK_MILLIS);
                }
                close();
            } catch (InterruptedException | IOException e) {
                Thread.currentThread().interrupt(); // it has ended by itself
            }
        }

        void close() throws IOException {
            SocketAddress address = listener.isOpen() ? listener.getLocalAddress() : null;
            listener.close();
            SocketChannel open = channel;
            if (open != null) {
                open.close();
            }
            if (address instanceof UnixDomainSocketAddress file) {
                Files.deleteIfExists(file.getPath());
            }
        }
    }

    // ---- the leader

    @Override
    public Tally lead(Task task, long nanos, String homeAddress) throws IOException {
        SocketAddress home = IS_UNIX_DOMAIN
                ? UnixDomainSocketAddress.of(homeAddress)
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(homeAddress));
        ByteBuffer message = ByteBuffer.allocateDirect(task.bytes());
        return switch (task.work()) {
            case SEND_LATENCY, WAKE -> rounds(home, message, nanos);
            case SEND_RATE -> stream(home, message, nanos);
            case CONNECT -> connections(home, message);
            default -> throw new IllegalArgumentException(task.work() + " is no work of sockets");
        };
    }

    private static Tally rounds(SocketAddress home, ByteBuffer message, long nanos) throws IOException {
        Histogram times = new Histogram(60_000_000_000L, 3);
        try (SocketChannel channel = connected(SocketChannel.open(home))) {
            exchange(channel, message, 0);
            long start = System.nanoTime();
            long now = start;
            while (now - start < nanos) {
                exchange(channel, message, 0);
                long then = System.nanoTime();
                times.recordValue(then - now);
                now = then;
            }
            exchange(channel, message, STOP);
        }
        return Tally.of(times, 2);
    }

    private static Tally stream(SocketAddress home, ByteBuffer message, long nanos) throws IOException {
        try (SocketChannel channel = connected(SocketChannel.open(home))) {
            long start = System.nanoTime();
            long sent = 0;
            while (System.nanoTime() - start < nanos) {
                message.putLong(0, 0);
                write(channel, message);
                sent++;
            }
            exchange(channel, message, STOP); // comes back when the home has all
            return Tally.of(sent, System.nanoTime() - start);
        }
    }

    /** Connect, accept, a message each way, close. */
    private static Tally connections(SocketAddress home, ByteBuffer message) throws IOException {
        Histogram times = new Histogram(60_000_000_000L, 3);
        for (int i = 1; i <= CONNECTIONS; i++) {
            long start = System.nanoTime();
            try (SocketChannel channel = connected(SocketChannel.open(home))) {
                exchange(channel, message, i == CONNECTIONS ? STOP : 0);
            }
            times.recordValue(System.nanoTime() - start);
        }
        return Tally.of(times, 1);
    }

    // ---- both

    private static SocketChannel connected(SocketChannel channel) throws IOException {
        if (!IS_UNIX_DOMAIN) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        return channel;
    }

    private static void exchange(SocketChannel channel, ByteBuffer message, long number) throws IOException {
        message.putLong(0, number);
        write(channel, message);
        if (!read(channel, message)) {
            throw new EOFException("the home has closed the connection");
        }
    }

    private static void write(SocketChannel channel, ByteBuffer message) throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            channel.write(message);
        }
    }

    /** Reads a whole message; false at the end of the stream. */
    private static boolean read(SocketChannel channel, ByteBuffer message) throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            if (channel.read(message) < 0) {
                return false;
            }
        }
        return true;
    }
}
