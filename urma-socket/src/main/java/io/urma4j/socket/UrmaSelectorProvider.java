package io.urma4j.socket;

import io.urma4j.UrmaOptions;
import io.urma4j.socket.peering.SocketNode;
import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.ring.Spinning;
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
 * Opens channels and selectors that wrap the JDK's, and behave as they do. If the property {@code urma.socket.mode} is
 * {@code auto} or {@code require}, connections between processes that both use it go through shared memory on this host, and
 * over {@code udma0} in the networks of {@code urma.socket.networks}. All others are TCP, or in the mode {@code require} refused.
 *
 * <p>A program passes it by hand, such as to Netty's {@code NioIoHandler.newFactory}, with channels that it opened. Or the
 * property {@code java.nio.channels.spi.SelectorProvider} names this class; then every channel of the process is one of
 * ours, and the JDK needs {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED}, since its own provider is in that package.
 *
 * <p>Safe for any thread, as all that it opens.
 */
public final class UrmaSelectorProvider extends SelectorProvider {
    private static @Nullable LazyNode shared; // guarded by the class

    private final SelectorProvider jdk;
    private final LazyNode node;
    private @Nullable Channel inherited; // guarded by this

    /**
     * A provider around the JDK's.
     *
     * @throws IllegalStateException if the property names this class, or one whose constructor calls this one, and the JDK's
     *     provider is not accessible; the message names the missing option
     * @throws IllegalArgumentException if a property of sockets has no possible value; the message names both, and each call
     *     throws until it has one. Where the property names this class, the first {@link SelectorProvider#provider} throws a
     *     {@link java.util.ServiceConfigurationError} with either exception as a cause, and each later one of the process a
     *     {@link NoClassDefFoundError}
     */
    public UrmaSelectorProvider() {
        this(shared());
    }

    /** A provider with a node of its own, so that a process can have several. */
    UrmaSelectorProvider(LazyNode node) {
        this.jdk = JdkProvider.find(UrmaSelectorProvider.class);
        this.node = node;
    }

    /** The node of the process, with its settings; an initializer of a class would turn their refusal into errors. */
    private static synchronized LazyNode shared() {
        if (shared == null) {
            shared = new LazyNode(SocketSettings.ofProcess(), UrmaOptions.DEFAULT);
        }
        return shared;
    }

    /** Opened when first needed; null if there is none. */
    @Nullable
    SocketNode node() {
        return node.get();
    }

    Spinning spinning() {
        return node.settings().spinning();
    }

    /** Those of the process, for other processes to see. */
    Connections connections() {
        return node.connections();
    }

    /** Whether connections can use rings, as far as the settings go. */
    boolean usesRings() {
        return node.usesRings();
    }

    /** Whether a connection that cannot use rings is refused. */
    boolean requiresRings() {
        return node.settings().mode() == SocketSettings.Mode.REQUIRE;
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
        UrmaSelector selector = new UrmaSelector(this, jdk.openSelector(), spinning());
        if (usesRings()) {
            connections().add(selector);
        }
        return selector;
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
