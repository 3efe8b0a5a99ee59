package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Aeth;

/** How a copy of a {@link Memory} that answers later stands. */
public enum CopyState {
    RUNNING,
    /** Its bytes are where they belong. */
    DONE,
    /** The key was revoked before it ended: some of its bytes may have been moved, and none is moved any more. */
    REFUSED,
    /** The device failed, or is gone. */
    LOST;

    /** The syndrome that reports to a peer how a copy has ended. */
    int syndrome() {
        return switch (this) {
            case DONE -> Incoming.FINE;
            case RUNNING, REFUSED -> Aeth.NAK_REMOTE_ACCESS;
            case LOST -> Aeth.NAK_REMOTE_OPERATION;
        };
    }
}
