package io.urma4j.shm.bounce;

import io.urma4j.CompletionStatus;

/** An access to served memory has failed at its home. */
public final class RemoteFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final CompletionStatus status;

    RemoteFailure(CompletionStatus status, String why) {
        super(why, null, false, false); // a status, not a bug
        this.status = status;
    }

    /** How the work request ends. */
    public CompletionStatus status() {
        return status;
    }
}
