package io.urma4j.udma.device;

import org.jspecify.annotations.Nullable;

/** How far the work requests of a send queue are, by position. */
final class Slots {
    /** Has its result told, or is no work request. */
    static final byte REPORTED = 0;
    /** Not begun, or to be begun anew: waits for its turn. */
    static final byte WAITING = 1;
    /** Handed to a connection; its answer is awaited. */
    static final byte STARTED = 2;
    /** Has failed; what that does to the others is still to be seen to. */
    static final byte FAILED = 3;
    /** Has its status; waits until it is the oldest, so that records come in order. */
    static final byte DONE = 4;

    private final int mask;
    private final byte[] stages;
    private final byte[] statuses;
    private final boolean[] tried;
    private final long[] sinceNanos;
    private final @Nullable Flow[] flows;

    Slots(int depth) {
        mask = depth - 1;
        stages = new byte[depth];
        statuses = new byte[depth];
        tried = new boolean[depth];
        sinceNanos = new long[depth];
        flows = new Flow[depth];
    }

    void add(long position, @Nullable Flow flow, long nowNanos) {
        int index = (int) position & mask;
        stages[index] = WAITING;
        statuses[index] = 0;
        tried[index] = false;
        flows[index] = flow;
        sinceNanos[index] = nowNanos;
    }

    byte stage(long position) {
        return stages[(int) position & mask];
    }

    void stage(long position, byte stage) {
        stages[(int) position & mask] = stage;
    }

    boolean isSettled(long position) {
        byte stage = stage(position);
        return stage != WAITING && stage != STARTED;
    }

    int status(long position) {
        return statuses[(int) position & mask];
    }

    void status(long position, int status) {
        statuses[(int) position & mask] = (byte) status;
    }

    /** It is handed to a connection. */
    void start(long position) {
        int index = (int) position & mask;
        stages[index] = STARTED;
        tried[index] = true;
    }

    /** Whether it was handed to a connection before, be it that nobody was ready for it. */
    boolean wasTried(long position) {
        return tried[(int) position & mask];
    }

    /** Null for what has no target: a NOP. */
    @Nullable
    Flow flow(long position) {
        return flows[(int) position & mask];
    }

    /** Since when its peer owes us something for it. */
    long sinceNanos(long position) {
        return sinceNanos[(int) position & mask];
    }

    void sinceNanos(long position, long nanos) {
        sinceNanos[(int) position & mask] = nanos;
    }

    /** Its result is told: nothing is kept. */
    void release(long position) {
        int index = (int) position & mask;
        stages[index] = REPORTED;
        flows[index] = null;
    }
}
