package io.urma4j.socket;

import io.urma4j.socket.peering.SocketSettings;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImplFactory;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes our channels carry {@link Socket} and {@link ServerSocket}, which ask no provider. A process can do so once, and
 * cannot take it back.
 */
public final class UrmaSockets {
    private static final AtomicBoolean INSTALLED = new AtomicBoolean();

    private UrmaSockets() {}

    /**
     * From now on each new {@code Socket} and {@code ServerSocket} of the process uses our channels, with the settings of
     * {@link UrmaSelectorProvider}. Call it before the program makes its first one. A second call does nothing.
     *
     * @throws IllegalStateException if the process has other factories of sockets, or {@code socksProxyHost} is set, past
     *     which the connections would go
     * @throws IllegalArgumentException if a property of sockets has no possible value
     */
    public static void install() {
        if (System.getProperty("socksProxyHost") != null) {
            throw new IllegalStateException(
                    "Sockets of urma4j do not use the proxy of -DsocksProxyHost: use one of the two");
        }
        UrmaSelectorProvider provider = new UrmaSelectorProvider();
        if (INSTALLED.compareAndSet(false, true)) {
            set("java.net.Socket", UrmaSockets::setClient, () -> new UrmaSocketImpl(provider));
            set("java.net.ServerSocket", UrmaSockets::setServer, () -> new UrmaServerSocketImpl(provider));
        }
    }

    /** Does nothing unless {@code urma.socket.classic} is {@code true}. */
    static void installIfWanted() {
        if (SocketSettings.isClassicWanted()) {
            install();
        }
    }

    private interface Setter {
        void set(SocketImplFactory factory) throws IOException;
    }

    private static void set(String name, Setter setter, SocketImplFactory factory) {
        try {
            setter.set(factory);
        } catch (IOException e) {
            INSTALLED.set(false);
            throw new IllegalStateException(name + " cannot use urma4j: the process has set another factory of it", e);
        }
    }

    @SuppressWarnings("deprecation") // the JDK offers no other way into these classes
    private static void setClient(SocketImplFactory factory) throws IOException {
        Socket.setSocketImplFactory(factory);
    }

    @SuppressWarnings("deprecation") // as above
    private static void setServer(SocketImplFactory factory) throws IOException {
        ServerSocket.setSocketFactory(factory);
    }
}
