package io.urma4j.shm.control;

/** How far a revocation is that a peer's message asked for (S8.11). */
public enum InvalidateResult {
    /** The peer has not imported that token id; nothing was revoked. */
    NOT_ALLOWED,
    /** Importers have been told and have not all answered. */
    IN_PROGRESS,
    /** No importer touches the memory any more. */
    DONE
}
