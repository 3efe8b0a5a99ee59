package io.urma4j;

/**
 * How a work request is to be handled. Immutable; passing one costs nothing.
 *
 * <p>{@code PostFlags.DEFAULT.unsignalled()} reads as it acts.
 */
public final class PostFlags {
    /** Bit: a success makes a record (S8.5). */
    public static final int SIGNALLED_BIT = 1;

    /** Bit: the receiver's record counts as solicited. */
    public static final int SOLICITED_BIT = 2;

    /** Bit: start after all earlier READs and atomics to that target have completed (S8.6). */
    public static final int FENCE_BIT = 4;

    /** A success makes a record; no fence. */
    public static final PostFlags DEFAULT = new PostFlags(SIGNALLED_BIT);

    /** A success makes no record; its slot is freed by the next polled record of the same queue. */
    public static final PostFlags UNSIGNALLED = new PostFlags(0);

    private final int bits;

    private PostFlags(int bits) {
        this.bits = bits;
    }

    public int bits() {
        return bits;
    }

    public PostFlags unsignalled() {
        return new PostFlags(bits & ~SIGNALLED_BIT);
    }

    public PostFlags solicited() {
        return new PostFlags(bits | SOLICITED_BIT);
    }

    public PostFlags fenced() {
        return new PostFlags(bits | FENCE_BIT);
    }

    @Override
    public String toString() {
        return "PostFlags["
                + ((bits & SIGNALLED_BIT) != 0 ? "signalled" : "unsignalled")
                + ((bits & SOLICITED_BIT) != 0 ? ", solicited" : "")
                + ((bits & FENCE_BIT) != 0 ? ", fenced" : "")
                + "]";
    }
}
