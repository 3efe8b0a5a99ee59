package io.urma4j.tools.perftest;

import io.urma4j.Jetty;
import io.urma4j.Jfr;
import io.urma4j.Jfs;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.TargetJetty;
import org.jspecify.annotations.Nullable;

/**
 * One send queue with what it aims at, and how far it is. Its work requests are numbered from 0 in each phase. For one
 * thread.
 */
final class Lane {
    /** User contexts are {@code lane << 40 | number}. */
    static final int NUMBER_BITS = 40;

    /** In a user context: this is no numbered work request, but a word that returns credit. */
    static final long UNNUMBERED = 1L << 62;

    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

    final int index;
    final Jfs jfs;
    final @Nullable Jfr jfr;
    final @Nullable Jetty jetty;
    final long tag;

    @Nullable
    TargetJetty target;

    long posted;
    long completed;

    /** Messages that arrived. */
    long received;

    /** Of them, those that were reported to the peer. */
    long told;

    /** The word that reports it is in flight. */
    boolean isTelling;

    private boolean failed;
    private int signalEvery = 1;
    private long last = Long.MAX_VALUE;

    Lane(int index, Jfs jfs, @Nullable Jfr jfr, @Nullable Jetty jetty) {
        this.index = index;
        this.jfs = jfs;
        this.jfr = jfr;
        this.jetty = jetty;
        this.tag = (long) index << NUMBER_BITS;
    }

    static int laneOf(long userContext) {
        return (int) (userContext >>> NUMBER_BITS);
    }

    static long numberOf(long userContext) {
        return userContext & NUMBER_MASK;
    }

    /** Resets the counts; no operation may be unfinished. */
    void begin(int every) {
        posted = 0;
        completed = 0;
        received = 0;
        told = 0;
        signalEvery = every;
        last = Long.MAX_VALUE;
    }

    /** No more than {@code count} will be posted: the last one makes a record. */
    void endAt(long count) {
        last = count - 1;
    }

    long unfinished() {
        return posted - completed;
    }

    /** Its queue is in ERROR until it is brought back. */
    void fail() {
        failed = true;
    }

    boolean hasFailed() {
        return failed;
    }

    /**
     * Takes out what was never started, and has the queue take work requests again.
     *
     * @return how many were taken out
     */
    int revive() {
        int unstarted = jfs.flushAll().size();
        if (jetty == null) {
            jfs.modify(QueueState.RESET);
            jfs.modify(QueueState.READY);
        } else {
            jetty.modify(QueueState.RESET);
            jetty.modify(QueueState.READY);
        }
        failed = false;
        completed = posted;
        return unstarted;
    }

    PostFlags flags(long number) {
        return (number + 1) % signalEvery == 0 || number == last ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED;
    }
}
