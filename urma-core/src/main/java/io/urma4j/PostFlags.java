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

    /** Bit: strong work requests that follow start after this one (S8.6). */
    public static final int RELAXED_BIT = 8;

    /** Bit: start after all earlier relaxed and strong ones to that target (S8.6). */
    public static final int STRONG_BIT = 16;

    /** Bit: in a queue that need not keep the order, the record comes after those of all earlier work requests. */
    public static final int COMPLETION_ORDER_BIT = 0x100;

    /** Default: a success makes a record; no fence, no order beyond that of the mode. */
    public static final PostFlags DEFAULT = new PostFlags(SIGNALLED_BIT);

    /** A success makes no record; the next polled record of the same queue frees its slot. */
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

    /** Later strong work requests to the same target wait for this one: place_order relax. */
    public PostFlags relaxed() {
        return new PostFlags(bits & ~STRONG_BIT | RELAXED_BIT);
    }

    /** Waits for all earlier relaxed and strong work requests to the same target, and is fenced: place_order strong. */
    public PostFlags strong() {
        return new PostFlags(bits & ~RELAXED_BIT | STRONG_BIT | FENCE_BIT);
    }

    /** Keeps the order of this record in a queue with {@link JfsConfig#outOfOrderCompletion}: comp_order. */
    public PostFlags completedInOrder() {
        return new PostFlags(bits | COMPLETION_ORDER_BIT);
    }

    @Override
    public String toString() {
        return "PostFlags["
                + ((bits & SIGNALLED_BIT) != 0 ? "signalled" : "unsignalled")
                + ((bits & SOLICITED_BIT) != 0 ? ", solicited" : "")
                + ((bits & FENCE_BIT) != 0 ? ", fenced" : "")
                + ((bits & RELAXED_BIT) != 0 ? ", relaxed" : "")
                + ((bits & STRONG_BIT) != 0 ? ", strong" : "")
                + ((bits & COMPLETION_ORDER_BIT) != 0 ? ", completed in order" : "")
                + "]";
    }
}
