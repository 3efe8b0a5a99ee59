package io.urma4j;

/**
 * Result of a control call: the names and values of URMA's {@code urma_status_t} (SEMANTICS §2).
 *
 * <p>The values equal Linux errno values, so that logs of a native provider compare one to one.
 */
public enum UrmaStatus {
    SUCCESS(0),
    /** The token, the permission or the policy does not allow the call. */
    ENOPERM(1),
    /** Temporarily refused: the object is in use, or a resource is busy. */
    EAGAIN(11),
    /** Memory, ids, file descriptors or another resource are exhausted. */
    ENOMEM(12),
    /** The name, id or binding is taken. */
    EEXIST(17),
    /** An argument is wrong, or the object is closed or in the wrong state. */
    EINVAL(22),
    /** The peer did not answer in time. */
    ETIMEOUT(110),
    EINPROGRESS(115),
    /** Any other failure; the message and the cause explain it. */
    FAIL(0x1000);

    private final int value;

    UrmaStatus(int value) {
        this.value = value;
    }

    /** The number that URMA gives this status. */
    public int value() {
        return value;
    }

    /**
     * The status with the given number; {@link #FAIL} for a number that this version does not know, so that the answer of a
     * newer peer is still usable.
     */
    public static UrmaStatus of(int value) {
        for (UrmaStatus status : values()) {
            if (status.value == value) {
                return status;
            }
        }
        return FAIL;
    }
}
