package io.urma4j.bench.scale;

import io.urma4j.socket.UrmaSelectorProvider;
import io.urma4j.socket.UrmaSocketOptions;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An end of the connections of {@link ConnectionsCurve}. Reads a command a line from its input, prints the figures in one line,
 * and ends with its input.
 */
final class ConnectionsMain {
    private static final int MESSAGE_BYTES = 64;
    private static final int CHUNK = 64;
    private static final int BACKLOG = 1024;

    private final boolean overRings;
    private final Pace pace;
    private final SelectorProvider provider;
    private final Selector selector;
    private final ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES);
    private final List<SocketChannel> channels = new ArrayList<>();

    private ConnectionsMain(boolean overRings, Pace pace) throws IOException {
        this.overRings = overRings;
        this.pace = pace;
        this.provider = overRings ? new UrmaSelectorProvider() : SelectorProvider.provider();
        this.selector = provider.openSelector();
    }

    public static void main(String[] arguments) throws IOException {
        boolean overRings = Boolean.parseBoolean(arguments[1]);
        System.setProperty("urma.socket.mode", "require"); // a connection over TCP would be another's figure
        System.setProperty("urma.socket.memory", Long.toString(16L << 30)); // only pages that are used take memory
        System.setProperty("urma.socket.wait", "5000"); // of a machine that does something else meanwhile
        System.setProperty("urma.socket.spin", arguments[2]);
        var end = new ConnectionsMain(overRings, new Pace(Duration.ofMillis(Long.parseLong(arguments[3])), 0));
        if (arguments[0].equals("server")) {
            end.serve();
        } else {
            end.lead(Integer.parseInt(arguments[4]));
        }
        System.exit(0);
    }

    private static BufferedReader input() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }

    private static void tellMemory() {
        Footprint now = Footprint.now();
        System.out.println(now.heapBytes() + " " + now.nativeBytes() + " " + now.descriptors());
    }

    // ---- the server

    private void serve() throws IOException {
        ServerSocketChannel listener = provider.openServerSocketChannel();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        Thread.ofPlatform().name("selector").daemon().start(this::serveAll);
        BufferedReader input = input();
        while (input.readLine() != null) {
            tellMemory();
        }
    }

    private void serveAll() {
        try {
            while (true) {
                selector.select(this::serve);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("scale: the server ends: " + e);
            System.exit(1);
        }
    }

    private void serve(SelectionKey key) {
        try {
            if (key.channel() instanceof ServerSocketChannel listener) {
                SocketChannel accepted = listener.accept();
                if (accepted != null) { // else the client has given up
                    register(accepted);
                }
            } else {
                answer((SocketChannel) key.channel());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answer(SocketChannel channel) throws IOException {
        if (channel.read(message.clear()) < 0) {
            channel.close();
        } else if (channel.write(message.flip()) < message.limit()) {
            throw new IOException("no room for an answer");
        }
    }

    private void register(SocketChannel channel) throws IOException {
        if (overRings && !channel.getOption(UrmaSocketOptions.TRANSPORT).equals("shm0")) {
            throw new IOException("a connection is TCP: " + channel.getOption(UrmaSocketOptions.FALLBACK_REASON));
        }
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    // ---- the client

    private void lead(int port) throws IOException {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        BufferedReader input = input();
        String command;
        while ((command = input.readLine()) != null) {
            if (command.equals("memory")) {
                tellMemory();
            } else if (command.equals("trip")) {
                System.out.println(pace.nanos(CHUNK, this::exchange));
            } else if (command.equals("close")) {
                System.out.println(close(server));
            } else {
                System.out.println(connect(server, Integer.parseInt(command.substring("connect ".length()))));
            }
        }
    }

    /** Returns what one took, with a first message each way. */
    private double connect(InetSocketAddress server, int count) throws IOException {
        long began = System.nanoTime();
        for (int i = 0; i < count; i++) {
            SocketChannel channel = provider.openSocketChannel();
            channel.connect(server);
            register(channel);
            channels.add(channel);
            exchange(channel);
        }
        return (double) (System.nanoTime() - began) / count;
    }

    /**
     * Closes all, before the server does, and makes one more, which the server accepts after most of them have ended. So the ports of
     * connections over rings are free for the next curve. Returns how many were closed.
     */
    private int close(InetSocketAddress server) throws IOException {
        int count = channels.size();
        for (SocketChannel channel : channels) {
            channel.close();
        }
        channels.clear();
        connect(server, 1);
        return count;
    }

    private void exchange(int times) {
        try {
            for (int i = 0; i < times; i++) {
                exchange(channels.getFirst());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void exchange(SocketChannel channel) throws IOException {
        channel.write(message.clear());
        message.clear();
        while (message.hasRemaining()) {
            selector.select();
            selector.selectedKeys().clear();
            if (channel.read(message) < 0) {
                throw new EOFException("the server has closed the connection");
            }
        }
    }
}
