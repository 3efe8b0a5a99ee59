package io.urma4j.socket;

import java.time.Duration;

/** Tells the Flight Recorder of connections, where the runtime has one: the module {@code jdk.jfr} is optional. */
final class SocketFlight {
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private SocketFlight() {}

    /**
     * A connection was made, or accepted.
     *
     * @param took how long its connect has taken; zero if it was accepted
     */
    static void connected(UrmaSocketChannel channel, FallbackReason reason, Duration took) {
        if (PRESENT) {
            SocketEvents.connected(channel, reason, took);
        }
    }

    /** A connection over rings is about to close. */
    static void closing(UrmaSocketChannel channel) {
        if (PRESENT) {
            SocketEvents.closing(channel);
        }
    }
}
