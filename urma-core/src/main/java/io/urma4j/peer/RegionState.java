package io.urma4j.peer;

/** The life of a {@link PeerRegion}. docs/peer-memory.md draws it. */
enum RegionState {
    /** Its client owns the range; nothing is pinned. */
    ACQUIRED,
    /** The pages stay; the client may invalidate from here on. */
    PINNED,
    /** Devices have bus addresses; no key exists yet. */
    MAPPED,
    /** Operations run. */
    ACTIVE,
    /** The pages move: copies are fenced, and the next operation waits. */
    MOVING,
    /** Keys are being revoked, and copies fenced. */
    INVALIDATING,
    /** The pages are gone for ever. */
    INVALIDATED,
    /** The pages moved; the next operation pins them anew. */
    MOVED,
    /** Being deregistered: copies are fenced. */
    STOPPING,
    /** Copies are fenced; pages are being unmapped and put. An invalidation has nothing left to do. */
    STOPPED,
    RELEASED;

    boolean mayBecome(RegionState next) {
        return switch (this) {
            case ACQUIRED -> next == PINNED || next == STOPPED;
            case PINNED -> next == MAPPED || next == STOPPED;
            case MAPPED -> next == ACTIVE || next == MOVING || next == INVALIDATING || next == STOPPED;
            case ACTIVE -> next == MOVING || next == INVALIDATING || next == STOPPING;
            case MOVING -> next == MOVED;
            case INVALIDATING -> next == INVALIDATED;
            case MOVED -> next == ACTIVE || next == MOVING || next == INVALIDATING || next == STOPPING;
            case INVALIDATED -> next == STOPPED;
            case STOPPING -> next == STOPPED;
            case STOPPED -> next == RELEASED;
            case RELEASED -> false;
        };
    }

    /** No key exists yet, and an invalidation ends the registration. */
    boolean isRegistering() {
        return this == ACQUIRED || this == PINNED;
    }

    /** Operations run, if pages that have moved are pinned first. */
    boolean isUsable() {
        return this == ACTIVE || this == MOVING || this == MOVED;
    }

    /** Pages are pinned, or will be again. */
    boolean isHeld() {
        return switch (this) {
            case ACQUIRED, PINNED, MAPPED, ACTIVE, MOVING, MOVED, INVALIDATING, STOPPING -> true;
            case INVALIDATED, STOPPED, RELEASED -> false;
        };
    }
}
