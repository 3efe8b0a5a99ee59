package io.urma4j.peer;

/** Why pages went away. */
public enum InvalidationReason {
    /** Their owner freed them. */
    FREED,
    /** They moved; only a {@link ClientStyle#DYNAMIC} client can have them mapped anew. */
    REMAPPED,
    /** Their device was reset, which ends all of its memory. */
    DEVICE_RESET,
    /** Their device failed, or was removed. */
    DEVICE_LOST,
    /** Their client was unregistered by force. */
    CLIENT_GONE
}
