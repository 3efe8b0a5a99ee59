package io.urma4j.shm.control;

import io.urma4j.libc.Fd;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** A TCP socket with data that its other end never takes: its last close waits as long as it lingers. */
final class LingeringSocket implements AutoCloseable {
    private static final int PLENTY_BYTES = 8 << 20;

    private final ServerSocketChannel sink;
    private final SocketChannel channel;
    private final Fd fd;

    LingeringSocket(Duration linger) throws Exception {
        sink = ServerSocketChannel.open();
        sink.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
        sink.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Set<Integer> before = sockets();
        channel = SocketChannel.open();
        Set<Integer> after = sockets();
        after.removeAll(before);
        channel.connect(sink.getLocalAddress());
        channel.configureBlocking(false);
        channel.write(ByteBuffer.allocate(PLENTY_BYTES));
        channel.setOption(StandardSocketOptions.SO_LINGER, (int) linger.toSeconds());
        fd = own(after.iterator().next()).duplicate();
    }

    /** A descriptor of it, to be sent. */
    Fd fd() {
        return fd;
    }

    /** Leaves the last close to the process that it was sent to. */
    void letGo() throws IOException {
        fd.close();
        channel.close();
    }

    private static Set<Integer> sockets() throws IOException {
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .filter(LingeringSocket::isSocket)
                    .map(path -> Integer.valueOf(path.getFileName().toString()))
                    .collect(Collectors.toCollection(HashSet::new));
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed since it was listed
        }
    }

    /** As urma-native owns a number that a call returned. */
    private static Fd own(int number) throws Exception {
        Method own = Fd.class.getDeclaredMethod("own", int.class, String.class);
        own.setAccessible(true);
        return (Fd) own.invoke(null, number, "lingering socket");
    }

    @Override
    public void close() throws IOException {
        letGo();
        sink.close();
    }
}
