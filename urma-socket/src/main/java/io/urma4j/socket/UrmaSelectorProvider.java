package io.urma4j.socket;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;

/**
 * Opens channels and selectors that wrap the JDK's. All connections are TCP today, and behave as the JDK's.
 *
 * <p>A program passes it by hand, such as to Netty's {@code NioIoHandler.newFactory}, with channels that it opened. Or the
 * property {@code java.nio.channels.spi.SelectorProvider} names this class; then every channel of the process is one of
 * ours, and the JDK needs {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED}, since its own provider is in that package.
 *
 * <p>Safe for any thread, as all that it opens.
 */
public final class UrmaSelectorProvider extends SelectorProvider {
    private final SelectorProvider jdk;
    private @Nullable Channel inherited; // guarded by this

    /**
     * A provider around the JDK's.
     *
     * @throws IllegalStateException if the property names this class, and the JDK's provider is not accessible; the message
     *     names the missing option
     */
    public UrmaSelectorProvider() {
        this.jdk = JdkProvider.find(UrmaSelectorProvider.class);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return new UrmaSocketChannel(this, jdk.openSocketChannel());
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return new UrmaSocketChannel(this, jdk.openSocketChannel(family));
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return new UrmaServerSocketChannel(this, jdk.openServerSocketChannel());
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return new UrmaServerSocketChannel(this, jdk.openServerSocketChannel(family));
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return new UrmaDatagramChannel(this, jdk.openDatagramChannel());
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return new UrmaDatagramChannel(this, jdk.openDatagramChannel(family));
    }

    @Override
    public Pipe openPipe() throws IOException {
        return new UrmaPipe(this, jdk.openPipe());
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return new UrmaSelector(this, jdk.openSelector());
    }

    @Override
    public synchronized @Nullable Channel inheritedChannel() throws IOException {
        if (inherited == null) {
            inherited = wrap(jdk.inheritedChannel());
        }
        return inherited;
    }

    private @Nullable Channel wrap(@Nullable Channel found) {
        return switch (found) {
            case SocketChannel channel -> new UrmaSocketChannel(this, channel);
            case ServerSocketChannel channel -> new UrmaServerSocketChannel(this, channel);
            case DatagramChannel channel -> new UrmaDatagramChannel(this, channel);
            case null -> null;
            case Channel other -> other;
        };
    }

    @Override
    public String toString() {
        return "sockets of urma4j around " + jdk.getClass().getName();
    }
}
