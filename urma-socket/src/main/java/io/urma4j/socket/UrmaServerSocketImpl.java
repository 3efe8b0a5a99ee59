package io.urma4j.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts one of our channels, which always blocks, behind a {@link ServerSocket}, and behaves as the JDK's implementation does. */
final class UrmaServerSocketImpl extends UnusedSocketImpl {
    private final UrmaSelectorProvider provider;
    private final OwnedChannel<UrmaServerSocketChannel> channel = new OwnedChannel<>();
    private @Nullable InetSocketAddress wanted; // between bind and listen

    UrmaServerSocketImpl(UrmaSelectorProvider provider) {
        this.provider = provider;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        channel.checkCreation(stream);
        channel.use((UrmaServerSocketChannel) provider.openServerSocketChannel(), this);
    }

    /** A channel binds and listens at once, so this only keeps the address for {@link #listen}, which follows. */
    @Override
    protected void bind(InetAddress host, int localPort) throws IOException {
        var _ = channel.open();
        wanted = new InetSocketAddress(host, localPort);
    }

    @Override
    protected void listen(int backlog) throws IOException {
        InetSocketAddress local = wanted;
        if (local == null) {
            throw new SocketException("Not bound");
        }
        ServerSocket view = channel.open().socket();
        view.bind(local, backlog);
        address = local.getAddress();
        localport = view.getLocalPort();
    }

    @Override
    protected void accept(SocketImpl accepting) throws IOException {
        if (!(accepting instanceof UrmaSocketImpl ours)) {
            throw new IOException("An instance of " + getClass() + " cannot accept a connection with an instance of "
                    + accepting.getClass());
        }
        UrmaServerSocketChannel opened = channel.open();
        boolean wasInterrupted = SocketFailures.suspendInterrupt();
        try {
            ours.adopt((UrmaSocketChannel) opened.socket().accept().getChannel());
        } catch (IOException e) {
            throw SocketFailures.of(e, channel.isClosed());
        } finally {
            SocketFailures.restoreInterrupt(wasInterrupted);
        }
    }

    @Override
    protected void close() throws IOException {
        channel.close();
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        UrmaServerSocketChannel created = channel.orNull();
        return created == null ? Set.of() : created.supportedOptions();
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        channel.open().setOption(name, value);
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.open().getOption(name);
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        if (option == SocketOptions.SO_TIMEOUT) {
            channel.open().socket().setSoTimeout((Integer) value);
        } else {
            NumberedOptions.set(channel.open(), option, value);
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        UrmaServerSocketChannel opened = channel.open();
        try {
            return option == SocketOptions.SO_TIMEOUT
                    ? opened.socket().getSoTimeout()
                    : NumberedOptions.get(opened, option);
        } catch (SocketException e) {
            throw e;
        } catch (IOException e) {
            throw SocketFailures.because(new SocketException(e.getMessage()), e);
        }
    }
}
