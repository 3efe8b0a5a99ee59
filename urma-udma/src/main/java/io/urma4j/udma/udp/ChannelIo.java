package io.urma4j.udma.udp;

import io.urma4j.libc.Errno;
import io.urma4j.udma.wire.Packet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * I/O by the JDK's own channel: the last resort, with a system call and some garbage for each packet. IPv4 only, since Java
 * cannot receive packets without a UDP checksum, as Linux RDMA sends them over IPv6 (WIRE §0). Waits in a selector.
 */
final class ChannelIo implements Io, Arrivals {
    private static final int BUFFERS = 16;
    private static final int BUFFER_BYTES = Packet.MAX_ROCE_BYTES + 4; // one word more, so that a longer one is seen
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final DatagramChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final Outbox outbox;
    private final ByteBuffer[] outgoing = new ByteBuffer[Outbox.SLOTS];
    private final PacketViews[] buffers = new PacketViews[BUFFERS];
    private final ByteBuffer[] incoming = new ByteBuffer[BUFFERS];
    private final @Nullable InetSocketAddress[] senders = new InetSocketAddress[BUFFERS];

    private ChannelIo(DatagramChannel channel, Outbox outbox) throws IOException {
        this.channel = channel;
        this.outbox = outbox;
        MemorySegment[] places = outbox.places();
        for (int i = 0; i < places.length; i++) {
            outgoing[i] = places[i].asByteBuffer();
        }
        for (int i = 0; i < BUFFERS; i++) {
            buffers[i] = PacketViews.ofPacket(Arena.ofAuto().allocate(BUFFER_BYTES, Long.BYTES));
            incoming[i] = buffers[i].buffer().asByteBuffer();
        }
        selector = Selector.open();
        key = channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Binds a channel.
     *
     * @throws java.net.BindException if the port is taken
     */
    static ChannelIo open(InetAddress address, int port, Outbox outbox, int bufferBytes) throws IOException {
        DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
        try {
            channel.configureBlocking(false);
            channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true); // the identification is 0 then
            channel.setOption(StandardSocketOptions.SO_RCVBUF, bufferBytes);
            channel.setOption(StandardSocketOptions.SO_SNDBUF, bufferBytes);
            channel.bind(new InetSocketAddress(address, port));
            return new ChannelIo(channel, outbox);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public int localPort() {
        return channel.socket().getLocalPort();
    }

    @Override
    public int send() {
        int from = outbox.next();
        int count = outbox.waiting();
        for (int i = 0; i < count; i++) {
            int slot = outbox.firstSlot(from + i);
            int result = send(slot, outbox.packet(slot).lengthBytes(), outbox.route(slot));
            if (result <= 0) {
                return i > 0 ? i : result == 0 ? -Errno.EAGAIN : result;
            }
        }
        return count;
    }

    /** The channel reports no errno; its text for a datagram that is too long is the same everywhere. */
    private int send(int slot, int lengthBytes, UdpRoute route) {
        try {
            return channel.send(outgoing[slot].limit(lengthBytes).position(0), route.socketAddress());
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            if (message.contains("Message too long")) {
                return -Errno.EMSGSIZE;
            }
            return message.contains("unreachable") ? -Errno.ENETUNREACH : -Errno.EIO;
        }
    }

    @Override
    public Arrivals arrivals() {
        return this;
    }

    @Override
    public int receive() {
        for (int i = 0; i < BUFFERS; i++) {
            try {
                senders[i] = (InetSocketAddress) channel.receive(incoming[i].clear());
            } catch (IOException e) {
                return i > 0 ? i : -Errno.EIO;
            }
            if (senders[i] == null) {
                return i > 0 ? i : -Errno.EAGAIN;
            }
        }
        return BUFFERS;
    }

    @Override
    public int most() {
        return BUFFERS;
    }

    @Override
    public int receivedBytes(int datagram) {
        return incoming[datagram].position();
    }

    @Override
    public int segmentBytes(int datagram) {
        return receivedBytes(datagram);
    }

    @Override
    public boolean isTruncated(int datagram) {
        return receivedBytes(datagram) > Packet.MAX_ROCE_BYTES;
    }

    @Override
    public int trafficClass(int datagram) {
        return 0; // it does not tell
    }

    @Override
    public void origin(int datagram, Origin origin) {
        InetSocketAddress sender = senders[datagram];
        if (sender == null) {
            throw new AssertionError("datagram " + datagram + " was not received");
        }
        InetAddress address = sender.getAddress();
        origin.set(Addresses.high(address), Addresses.low(address), sender.getPort());
    }

    @Override
    public Packet view(int datagram, int at, int lengthBytes) {
        return buffers[datagram].at(at, lengthBytes);
    }

    @Override
    public void await(long timeoutNanos, boolean packets, boolean room) {
        try {
            key.interestOps((packets ? SelectionKey.OP_READ : 0) | (room ? SelectionKey.OP_WRITE : 0));
            if (timeoutNanos <= 0) {
                selector.selectNow();
            } else if (timeoutNanos == Long.MAX_VALUE) {
                selector.select();
            } else {
                selector.select((timeoutNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
            }
            selector.selectedKeys().clear();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot wait for " + this, e);
        }
    }

    @Override
    public void wake() {
        selector.wakeup();
    }

    @Override
    public void close() {
        try {
            selector.close();
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close " + this, e);
        }
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
