package io.urma4j.socket;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts one of our channels, which always blocks, behind a {@link Socket}, and behaves as the JDK's implementation does. */
final class UrmaSocketImpl extends UnusedSocketImpl {
    private final UrmaSelectorProvider provider;
    private final OwnedChannel<UrmaSocketChannel> channel = new OwnedChannel<>();
    private volatile @Nullable InputStream input; // once connected, as the one below
    private volatile @Nullable OutputStream output;
    private volatile boolean isAtEnd; // a read has seen the end

    UrmaSocketImpl(UrmaSelectorProvider provider) {
        this.provider = provider;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        channel.checkCreation(stream);
        channel.use((UrmaSocketChannel) provider.openSocketChannel(), this);
    }

    /** Takes a connection that a listener has accepted. If a channel was created, only its timeout is kept. */
    void adopt(UrmaSocketChannel accepted) throws IOException {
        if (input != null) {
            accepted.close();
            throw new SocketException("Not a newly created SocketImpl");
        }
        UrmaSocketChannel created = channel.orNull();
        if (created != null) {
            accepted.socket().setSoTimeout(created.socket().getSoTimeout());
            channel.closeChannel();
        }
        channel.use(accepted, this);
        InetSocketAddress remote = (InetSocketAddress) Objects.requireNonNull(accepted.getRemoteAddress());
        address = remote.getAddress();
        port = remote.getPort();
        connected(accepted.socket());
    }

    private void connected(Socket made) throws IOException {
        localport = made.getLocalPort();
        output = made.getOutputStream();
        input = made.getInputStream();
    }

    private Socket connected() throws SocketException {
        Socket view = channel.open().socket();
        if (input == null) {
            throw new SocketException("Not connected");
        }
        return view;
    }

    @Override
    protected void connect(String host, int remotePort) throws IOException {
        connect(new InetSocketAddress(host, remotePort), 0);
    }

    @Override
    protected void connect(InetAddress host, int remotePort) throws IOException {
        connect(new InetSocketAddress(host, remotePort), 0);
    }

    @Override
    protected void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        if (!(remote instanceof InetSocketAddress named)) {
            throw new IOException("Unsupported address type");
        }
        if (named.isUnresolved()) {
            throw new UnknownHostException(named.getHostName());
        }
        InetAddress host = named.getAddress();
        host = host.isAnyLocalAddress() ? InetAddress.getLocalHost() : host;
        boolean wasInterrupted = SocketFailures.suspendInterrupt();
        try {
            connect(channel.open(), new InetSocketAddress(host, named.getPort()), timeoutMillis);
        } catch (IOException e) {
            boolean isClosedByAnother = channel.isClosedByProgram();
            close();
            throw SocketFailures.ofConnect(e, isClosedByAnother);
        } finally {
            SocketFailures.restoreInterrupt(wasInterrupted);
        }
    }

    private void connect(UrmaSocketChannel opened, InetSocketAddress remote, int timeoutMillis) throws IOException {
        if (input != null) {
            throw new SocketException("Already connected");
        }
        address = remote.getAddress();
        port = remote.getPort();
        opened.socket().connect(remote, timeoutMillis);
        connected(opened.socket());
    }

    @Override
    protected void bind(InetAddress host, int localPort) throws IOException {
        Socket view = channel.open().socket();
        view.bind(new InetSocketAddress(host, localPort));
        address = host;
        localport = view.getLocalPort();
    }

    @Override
    protected InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                return UrmaSocketImpl.this.read(target, offset, length);
            }

            @Override
            public int available() throws IOException {
                return UrmaSocketImpl.this.available();
            }

            @Override
            public void close() throws IOException {
                UrmaSocketImpl.this.close();
            }
        };
    }

    @Override
    protected OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] source, int offset, int length) throws IOException {
                UrmaSocketImpl.this.write(source, offset, length);
            }

            @Override
            public void close() throws IOException {
                UrmaSocketImpl.this.close();
            }
        };
    }

    private int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        if (isAtEnd) { // the JDK says so of a closed socket, too
            return -1;
        }
        var _ = connected();
        boolean wasInterrupted = SocketFailures.suspendInterrupt();
        try {
            int read = Objects.requireNonNull(input).read(target, offset, length);
            isAtEnd |= read < 0;
            return read;
        } catch (IOException e) {
            throw SocketFailures.of(e, channel.isClosed());
        } finally {
            SocketFailures.restoreInterrupt(wasInterrupted);
        }
    }

    private void write(byte[] source, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.length);
        if (length == 0) {
            return;
        }
        var _ = connected();
        boolean wasInterrupted = SocketFailures.suspendInterrupt();
        try {
            Objects.requireNonNull(output).write(source, offset, length);
        } catch (IOException e) {
            throw SocketFailures.ofWrite(e, channel.isClosed());
        } finally {
            SocketFailures.restoreInterrupt(wasInterrupted);
        }
    }

    @Override
    protected int available() throws IOException {
        var _ = connected();
        boolean wasInterrupted = Thread.interrupted();
        try {
            return Objects.requireNonNull(input).available();
        } catch (IOException e) {
            throw SocketFailures.of(e, channel.isClosed());
        } finally {
            SocketFailures.restoreInterrupt(wasInterrupted);
        }
    }

    @Override
    protected void close() throws IOException {
        channel.markClosed();
        UrmaSocketChannel created = channel.orNull();
        if (created != null && input != null) {
            endOutput(created);
        }
        channel.close();
    }

    /** As the JDK does before a close, unless it lingers for no time: the peer sees the end though bytes are unread. */
    private static void endOutput(UrmaSocketChannel made) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            if (made.getOption(StandardSocketOptions.SO_LINGER) != 0) {
                made.endOutput();
            }
        } catch (IOException e) {
            // the connection is over, or closed by another thread
        } finally {
            SocketFailures.restoreInterrupt(wasInterrupted);
        }
    }

    @Override
    protected void shutdownInput() throws IOException {
        boolean wasInterrupted = Thread.interrupted();
        try {
            connected().shutdownInput();
        } finally {
            SocketFailures.restoreInterrupt(wasInterrupted);
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        boolean wasInterrupted = Thread.interrupted();
        try {
            connected().shutdownOutput();
        } finally {
            SocketFailures.restoreInterrupt(wasInterrupted);
        }
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        connected().sendUrgentData(data);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        UrmaSocketChannel created = channel.orNull();
        if (created == null) {
            return Set.of();
        }
        Set<SocketOption<?>> supported = new HashSet<>(created.supportedOptions());
        supported.removeIf(option -> option.name().equals("SO_OOBINLINE")); // which a socket has by number alone
        return Set.copyOf(supported);
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
        Socket view = channel.open().socket();
        switch (option) {
            case SocketOptions.SO_TIMEOUT -> view.setSoTimeout((Integer) value);
            case SocketOptions.SO_OOBINLINE -> view.setOOBInline((Boolean) value);
            default -> NumberedOptions.set(channel.open(), option, value);
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        Socket view = channel.open().socket();
        return switch (option) {
            case SocketOptions.SO_TIMEOUT -> view.getSoTimeout();
            case SocketOptions.SO_OOBINLINE -> view.getOOBInline();
            default -> NumberedOptions.get(channel.open(), option);
        };
    }
}
