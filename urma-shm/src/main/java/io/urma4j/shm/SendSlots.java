package io.urma4j.shm;

import io.urma4j.spi.support.FieldHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The slots of a send queue, and the gate before them.
 *
 * <p>Each accepted work request has a position. It occupies a slot until its record, or a later one of the same queue, is
 * polled (S9.3): {@code posted − freed} slots are occupied. The gate says whether a one-sided operation may simply take
 * the next slot and run, or what is in its way.
 *
 * <p><b>Who may touch what.</b> {@code posted} belongs to the holder of the queue's lock, or to the one thread that
 * posts to a lock-free queue. {@code freed} belongs to the thread that polls; others read it with acquire. All else
 * changes under the lock, in a lock-free queue too.
 */
final class SendSlots {
    private static final VarHandle FREED = FieldHandle.of(MethodHandles.lookup(), "freed", long.class);

    /**
     * A longer copy runs without the lock, which other queues need for their records. A lock-free queue takes the lock before
     * such a copy and after it.
     */
    static final long LONG_COPY_BYTES = 1 << 16;

    /** Why a post may not simply run; none of them lets one-sided operations through. */
    static final int NOT_READY = 1;

    /** What went through the window is not polled yet. */
    static final int DEFERRED = 2;

    static final int CLOSED = 4;

    /** A long copy is in progress without the lock. */
    static final int BUSY = 8;

    /** Some targets of one-sided operations must be refused. */
    static final int DIVERTED = 16;

    private final int depth; // a power of two
    private final int signalEvery;

    private long posted;
    private long postLimit; // posted may grow to here before freed must be asked again
    private int gate; // bits above
    private long signalAt; // the position of the next work request that makes a record whatever it asks for (S9.3)
    private long deferredEnd; // behind the last position that went through the window
    private long freed;
    private long postedBytes;

    SendSlots(int depth, int signalEvery) {
        this.depth = depth;
        this.signalEvery = signalEvery;
        this.signalAt = signalEvery == 0 ? Long.MAX_VALUE : signalEvery - 1;
        this.postLimit = Math.min(depth, signalAt);
    }

    int depth() {
        return depth;
    }

    /** The position of the next work request. */
    long posted() {
        return posted;
    }

    long postedBytes() {
        return postedBytes;
    }

    /** Whether the next one-sided operation may run at once. */
    boolean areOpen() {
        return gate == 0 && posted < postLimit;
    }

    /**
     * The same for a message, which may follow messages that were not polled yet. Looks at what was polled meanwhile: who
     * keeps the queue full posts whenever a record has come, and would find no slot each time.
     */
    boolean areOpenForMessage() {
        if (posted == postLimit) {
            lookForFree();
        }
        return (gate & ~DEFERRED) == 0 && posted < postLimit;
    }

    /** {@link #areOpen} after a look at what was polled meanwhile; {@code DEFERRED} stays when that says nothing. */
    boolean openAfterPolls(boolean mayClearDeferred) {
        lookForFree();
        if (mayClearDeferred && freed() >= deferredEnd) {
            gate &= ~DEFERRED;
        }
        return areOpen();
    }

    /** Sees which slots were freed meanwhile. */
    void lookForFree() {
        postLimit = Math.min(freed() + depth, signalAt);
        assert freed() <= posted : freed() + " freed of " + posted + " posted";
    }

    /** Takes the next slot, and returns its position. */
    long take(long lengthBytes) {
        postedBytes += lengthBytes;
        return posted++;
    }

    /** Takes the next slot for what goes through the window. */
    void takeDeferred(long lengthBytes) {
        take(lengthBytes);
        defer();
    }

    /** Whatever was posted so far is to be polled before one-sided operations run within their posts again. */
    void defer() {
        deferredEnd = posted;
        gate |= DEFERRED;
    }

    /** Whether the work request at the next position makes a record whatever it asks for; true once for each. */
    boolean isSignalDue() {
        if (posted < signalAt) {
            return false;
        }
        signalAt = posted + signalEvery;
        return true;
    }

    void shut(int why) {
        gate |= why;
    }

    void open(int why) {
        gate &= ~why;
    }

    boolean areShut(int why) {
        return (gate & why) != 0;
    }

    boolean areShut() {
        return gate != 0;
    }

    /** Behind the youngest work request whose record was polled. */
    long freed() {
        return (long) FREED.getAcquire(this);
    }

    /**
     * A position of which a record has the low half. It is compared with the youngest one, which lags by less than the depth:
     * the youngest freed one may lag without limit, while the records go to other JFCs.
     */
    static long widened(int position, long youngest) {
        return youngest - ((int) youngest - position & 0xFFFF_FFFFL);
    }

    /**
     * By the thread that polls: the record of a position has left the JFC; the position is its low half. The record has
     * published how far the posts were.
     */
    void free(int position) {
        long full = widened(position, posted - 1);
        if (full >= freed) {
            FREED.setRelease(this, full + 1);
        }
    }

    /** The slots before {@code end} are free. No thread polls meanwhile. */
    void freeTo(long end) {
        if (end > freed) {
            assert end <= posted : "freed to " + end + " of " + posted + " posted";
            FREED.setRelease(this, end);
        }
    }
}
