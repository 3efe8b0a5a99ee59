package io.urma4j.socket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A datagram channel around one of the JDK, so that it can be registered with our selectors. */
final class UrmaDatagramChannel extends DatagramChannel implements Wrapper {
    private final DatagramChannel udp;
    private final Delegate delegate;
    private final Map<MembershipKey, UrmaMembershipKey> memberships = new HashMap<>(); // guarded by delegate
    private @Nullable DatagramSocket socket; // guarded by delegate

    UrmaDatagramChannel(SelectorProvider provider, DatagramChannel udp) {
        super(provider);
        this.udp = udp;
        this.delegate = new Delegate(this, udp);
    }

    @Override
    public Delegate delegate() {
        return delegate;
    }

    @Override
    public DatagramChannel bind(@Nullable SocketAddress local) throws IOException {
        udp.bind(local);
        return this;
    }

    @Override
    public <T> DatagramChannel setOption(SocketOption<T> name, T value) throws IOException {
        udp.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return udp.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return udp.supportedOptions();
    }

    @Override
    public DatagramSocket socket() {
        synchronized (delegate) {
            if (socket == null) {
                try {
                    socket = new DatagramSocketView(this, (MulticastSocket) udp.socket());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return socket;
        }
    }

    @Override
    public boolean isConnected() {
        return udp.isConnected();
    }

    @Override
    public DatagramChannel connect(SocketAddress remote) throws IOException {
        udp.connect(remote);
        return this;
    }

    @Override
    public DatagramChannel disconnect() throws IOException {
        udp.disconnect();
        return this;
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        return udp.getRemoteAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        return udp.getLocalAddress();
    }

    @Override
    public @Nullable SocketAddress receive(ByteBuffer target) throws IOException {
        try {
            return udp.receive(target);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public int send(ByteBuffer source, SocketAddress target) throws IOException {
        try {
            return udp.send(source, target);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        try {
            return udp.read(target);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        try {
            return udp.read(targets, offset, length);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        try {
            return udp.write(source);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        try {
            return udp.write(sources, offset, length);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface from) throws IOException {
        return wrapped(udp.join(group, from));
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface from, InetAddress source) throws IOException {
        return wrapped(udp.join(group, from, source));
    }

    /** The JDK returns the key of a membership again while that is valid, and so does this. */
    private MembershipKey wrapped(MembershipKey inner) {
        synchronized (delegate) {
            memberships.keySet().removeIf(key -> !key.isValid());
            return memberships.computeIfAbsent(inner, key -> new UrmaMembershipKey(this, key));
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        udp.close();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        delegate.configureBlocking(block);
    }

    @Override
    public String toString() {
        return udp.toString();
    }
}
