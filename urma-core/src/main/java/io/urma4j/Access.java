package io.urma4j;

import io.urma4j.internal.Checks;

/**
 * What initiators may do with a segment (S7.1). Each level includes the ones before it.
 *
 * <p>The masks are URMA's: LOCAL_ONLY is bit 0, READ bit 1, WRITE bit 2, ATOMIC bit 3; only these four combinations
 * exist.
 */
public enum Access {
    /** Source and destination of this process's own operations; cannot be imported. */
    LOCAL_ONLY(1),
    READ(2),
    READ_WRITE(6),
    READ_WRITE_ATOMIC(14);

    private final int mask;

    Access(int mask) {
        this.mask = mask;
    }

    /** URMA's access mask. */
    public int mask() {
        return mask;
    }

    /** Whether this access allows everything that {@code wanted} allows. */
    public boolean covers(Access wanted) {
        return wanted == LOCAL_ONLY || (this != LOCAL_ONLY && (mask & wanted.mask) == wanted.mask);
    }

    public boolean canRead() {
        return (mask & 2) != 0;
    }

    public boolean canWrite() {
        return (mask & 4) != 0;
    }

    public boolean canAtomic() {
        return (mask & 8) != 0;
    }

    /**
     * The access with the given mask; 0 and 1 both mean LOCAL_ONLY.
     *
     * @throws UrmaException EINVAL for any other combination of bits
     */
    public static Access ofMask(int mask) {
        return switch (mask) {
            case 0, 1 -> LOCAL_ONLY;
            case 2 -> READ;
            case 6 -> READ_WRITE;
            case 14 -> READ_WRITE_ATOMIC;
            default ->
                throw Checks.invalid(
                        "access",
                        "mask " + mask + " is none of 0, 1 (LOCAL_ONLY), 2 (READ), 6 (READ_WRITE),"
                                + " 14 (READ_WRITE_ATOMIC)");
        };
    }
}
