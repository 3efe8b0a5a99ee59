package io.urma4j.socket;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.socket.peering.SocketNode;
import io.urma4j.socket.peering.SocketSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A node that opens when it is first needed, and not before. Safe for any thread. */
final class LazyNode {
    private final SocketSettings settings;
    private final UrmaOptions options;
    private final Connections connections = new Connections();
    private @Nullable SocketNode node; // as the one below guarded by this
    private boolean hasFailed;

    LazyNode(SocketSettings settings, UrmaOptions options) {
        this.settings = settings;
        this.options = options;
    }

    SocketSettings settings() {
        return settings;
    }

    Connections connections() {
        return connections;
    }

    /** Whether connections can use rings, as far as the settings go. */
    boolean usesRings() {
        return settings.mode() != SocketSettings.Mode.TCP;
    }

    /** The node; null if there is none, since the settings say TCP or the device cannot be opened. */
    synchronized @Nullable SocketNode get() {
        if (node == null && usesRings() && !hasFailed) {
            try {
                node = new SocketNode(
                        settings, options, connections::resources, JdkProvider.find(UrmaSelectorProvider.class));
            } catch (UrmaException | IOException | LinkageError e) {
                hasFailed = true;
                // a logger of the class would begin the process's logging before the program's main
                System.getLogger(LazyNode.class.getName())
                        .log(System.Logger.Level.WARNING, () -> "all connections are TCP: " + e.getMessage());
            }
        }
        return node;
    }

    /** For tests. A process that ends keeps its connections to the last, as TCP does; its peers see its end. */
    synchronized void close() {
        hasFailed = true;
        if (node != null) {
            node.close();
            node = null;
        }
    }
}
