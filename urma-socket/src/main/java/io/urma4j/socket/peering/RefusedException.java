package io.urma4j.socket.peering;

import io.urma4j.socket.FallbackReason;

/** Another process has a listener, and refuses rings for it or has another version. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final FallbackReason reason;

    RefusedException(FallbackReason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** The same from a process of another version. */
    static RefusedException ofVersion(int version) {
        return new RefusedException(
                FallbackReason.OTHER_VERSION,
                "its process has version " + version + " of sockets, this one has " + ArenaLayout.VERSION);
    }

    FallbackReason reason() {
        return reason;
    }
}
