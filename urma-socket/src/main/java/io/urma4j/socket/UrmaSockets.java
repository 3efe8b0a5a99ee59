package io.urma4j.socket;

import io.urma4j.socket.peering.SocketSettings;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImplFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes our channels carry {@link Socket} and {@link ServerSocket}, which ask no provider. A process can do so once, and
 * cannot take it back.
 */
public final class UrmaSockets {
    private static boolean isInstalled; // guarded by the class

    private UrmaSockets() {}

    /**
     * From now on each new {@code Socket} and {@code ServerSocket} of the process uses our channels, with the settings of
     * {@link UrmaSelectorProvider}. Call it before the program makes its first one. A second call does nothing.
     *
     * <p>A call that throws leaves both classes as they were, and can be made again; unless another thread sets a factory of
     * {@code ServerSocket} at the same time: then {@code Socket} may have ours, for good.
     *
     * @throws IllegalStateException if the process has another factory of {@code Socket} or {@code ServerSocket}, which the
     *     message names; if {@code socksProxyHost} is set, past which the connections would go; or as by {@link
     *     UrmaSelectorProvider#UrmaSelectorProvider()}
     * @throws IllegalArgumentException if a property of sockets has no possible value; the message names both
     */
    public static void install() {
        if (System.getProperty("socksProxyHost") != null) {
            throw new IllegalStateException(
                    "Sockets of urma4j do not use the proxy of -DsocksProxyHost: use one of the two");
        }
        install(new UrmaSelectorProvider());
    }

    private static synchronized void install(UrmaSelectorProvider provider) {
        if (isInstalled) {
            return;
        }
        setBoth(null, null); // changes nothing, and fails as the next line would: no factory can be taken back
        setBoth(() -> new UrmaSocketImpl(provider), () -> new UrmaServerSocketImpl(provider));
        isInstalled = true;
    }

    /** Does nothing unless {@code urma.socket.classic} is {@code true}. */
    static void installIfWanted() {
        if (SocketSettings.isClassicWanted()) {
            install();
        }
    }

    private interface Setter {
        void set(@Nullable SocketImplFactory factory) throws IOException;
    }

    private static void setBoth(@Nullable SocketImplFactory client, @Nullable SocketImplFactory server) {
        set("java.net.Socket", UrmaSockets::setClient, client);
        set("java.net.ServerSocket", UrmaSockets::setServer, server);
    }

    private static void set(String name, Setter setter, @Nullable SocketImplFactory factory) {
        try {
            setter.set(factory);
        } catch (IOException e) {
            throw new IllegalStateException(name + " cannot use urma4j: the process has set another factory of it", e);
        }
    }

    @SuppressWarnings("deprecation") // the JDK offers no other way into these classes
    private static void setClient(@Nullable SocketImplFactory factory) throws IOException {
        Socket.setSocketImplFactory(factory);
    }

    @SuppressWarnings("deprecation") // as above
    private static void setServer(@Nullable SocketImplFactory factory) throws IOException {
        ServerSocket.setSocketFactory(factory);
    }
}
