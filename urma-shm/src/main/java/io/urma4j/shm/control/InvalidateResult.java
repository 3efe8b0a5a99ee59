package io.urma4j.shm.control;

/** The progress of a revocation that a peer's message requested (S8.11). */
public enum InvalidateResult {
    /** The peer has not imported that token id; nothing was revoked. */
    NOT_ALLOWED,
    /** Importers have been notified and not all have answered. */
    IN_PROGRESS,
    /** No importer touches the memory any more; of windows-only segments, the sender's windows have ended. */
    DONE
}
