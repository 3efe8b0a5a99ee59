package io.urma4j.udma.ring;

/** Bits of {@code io.urma4j.PostFlags} as elements carry them. */
public final class PostBits {
    /** A success makes a record. */
    public static final int SIGNALLED = 1;

    /** The receiver's record counts as solicited. */
    public static final int SOLICITED = 2;

    /** Starts after all earlier READs and atomics to that target have completed. */
    public static final int FENCE = 4;

    private PostBits() {}
}
