package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads, writes and looks at a selector allocate nothing. */
@Timeout(120)
class AllocationTest {
    private static final int ROUNDS = 20_000;
    private static final int TRIES = 5;

    @Test
    void aRoundTripOverTcpAllocatesNothing() throws IOException {
        aRoundTripAllocatesNothing(new UrmaSelectorProvider());
    }

    @Test
    void aRoundTripOverRingsAllocatesNothing() throws IOException {
        try (OverRings rings = new OverRings()) {
            aRoundTripAllocatesNothing(rings.provider());
        }
    }

    private static void aRoundTripAllocatesNothing(UrmaSelectorProvider provider) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (ServerSocketChannel listener = provider.openServerSocketChannel()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Selector selector = provider.openSelector();
                SocketChannel client = provider.openSocketChannel()) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                server.configureBlocking(false);
                server.register(selector, SelectionKey.OP_WRITE).interestOps(0);
                long least = Long.MAX_VALUE;
                for (int i = 0; i < TRIES && least > ROUNDS; i++) { // the first ones load classes and compile
                    long before = threads.getCurrentThreadAllocatedBytes();
                    roundTrips(client, server, selector);
                    least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
                }
                assertThat(least).as("bytes in %d round trips", ROUNDS).isLessThan(ROUNDS);
            }
        }
    }

    private static void roundTrips(SocketChannel client, SocketChannel server, Selector selector) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(64);
        for (int i = 0; i < ROUNDS; i++) {
            client.write(message.clear());
            message.clear();
            while (message.hasRemaining()) {
                server.read(message);
                selector.selectNow();
            }
            server.write(message.flip());
            message.clear();
            while (message.hasRemaining()) {
                client.read(message);
            }
        }
    }
}
