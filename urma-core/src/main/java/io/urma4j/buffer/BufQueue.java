package io.urma4j.buffer;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import org.jspecify.annotations.Nullable;

/**
 * A send queue for views. Each operation holds its buffer from the post until its record is polled, flushed, or discarded by
 * {@link #close} (S14.9). So a buffer may be closed while its operations are in flight: its memory returns after the last of
 * their records, also if that is long after a timeout.
 *
 * <p>The queue owns a JFS and a JFC, and every work request makes a record. Records are in posting order (S10.1), so holds are
 * a ring: the next record ends the oldest one. Posts and polls allocate nothing. For one thread at a time.
 */
public final class BufQueue implements AutoCloseable {
    private final UrmaContext context;
    private final Jfc jfc;
    private final Jfs jfs;
    private final @Nullable Block[] held; // by position
    private final long[] userContexts; // of the same positions, to check the order of records
    private final int mask;
    private long posted;
    private long ended;

    private BufQueue(UrmaContext context, Jfc jfc, Jfs jfs) {
        this.context = context;
        this.jfc = jfc;
        this.jfs = jfs;
        int places = Math.max(2, Integer.highestOneBit(2 * jfs.depth() - 1));
        this.held = new Block[places];
        this.userContexts = new long[places];
        this.mask = places - 1;
    }

    /** {@link #open(UrmaContext, JfsConfig)} with the default configuration. */
    public static BufQueue open(UrmaContext context) {
        return open(context, JfsConfig.DEFAULT);
    }

    /**
     * Opens a queue of mode RM.
     *
     * @throws UrmaException EINVAL for a configuration that the device does not support, or whose records need not be in
     *     posting order
     */
    public static BufQueue open(UrmaContext context, JfsConfig config) {
        if (config.outOfOrderCompletion()) {
            throw Checks.invalid(context, "outOfOrderCompletion is set, but a BufQueue needs records in posting order");
        }
        int records = Integer.highestOneBit(2 * Math.max(1, config.depth())); // with room for the markers
        Jfc jfc = context.createJfc(new JfcConfig(2 * records, config.lockFree()));
        try {
            return new BufQueue(context, jfc, context.createJfs(jfc, config));
        } catch (UrmaException e) {
            jfc.close();
            throw e;
        }
    }

    /**
     * Copies the bytes of {@code source} into the home's memory.
     *
     * @return whether it was accepted; false if the queue is full
     * @throws UrmaException EINVAL if the view is invalid, stale, or not registered with this context; otherwise as {@link
     *     Jfs#write}
     */
    public boolean write(RemoteSegment target, long targetOffset, BufView source, long userContext) {
        LocalSegment local = source.localSegment(context);
        Block block = source.hold();
        boolean accepted = false;
        try {
            accepted = jfs.write(target, targetOffset, local, source.localOffset(), source.size(), userContext);
        } finally {
            settle(block, accepted, userContext);
        }
        return accepted;
    }

    /** Fills {@code destination} with bytes of the home's memory; otherwise as {@link #write}. */
    public boolean read(RemoteSegment source, long sourceOffset, BufView destination, long userContext) {
        LocalSegment local = destination.localSegment(context);
        Block block = destination.hold();
        boolean accepted = false;
        try {
            accepted =
                    jfs.read(source, sourceOffset, local, destination.localOffset(), destination.size(), userContext);
        } finally {
            settle(block, accepted, userContext);
        }
        return accepted;
    }

    /** {@link #write(RemoteSegment, long, BufView, long)} into a window. */
    public boolean write(RemoteWindow target, long targetOffset, BufView source, long userContext) {
        LocalSegment local = source.localSegment(context);
        Block block = source.hold();
        boolean accepted = false;
        try {
            accepted = target.write(
                    jfs, targetOffset, local, source.localOffset(), source.size(), userContext, PostFlags.DEFAULT);
        } finally {
            settle(block, accepted, userContext);
        }
        return accepted;
    }

    /** {@link #read(RemoteSegment, long, BufView, long)} from a window. */
    public boolean read(RemoteWindow source, long sourceOffset, BufView destination, long userContext) {
        LocalSegment local = destination.localSegment(context);
        Block block = destination.hold();
        boolean accepted = false;
        try {
            accepted = source.read(
                    jfs,
                    sourceOffset,
                    local,
                    destination.localOffset(),
                    destination.size(),
                    userContext,
                    PostFlags.DEFAULT);
        } finally {
            settle(block, accepted, userContext);
        }
        return accepted;
    }

    /** Keeps the hold of an accepted operation. */
    private void settle(Block block, boolean accepted, long userContext) {
        if (!accepted) {
            block.unhold();
            return;
        }
        int place = (int) posted++ & mask;
        held[place] = block;
        userContexts[place] = userContext;
    }

    /** {@link Jfc#poll}; ends the holds of the operations whose records it moves. */
    public int poll(CompletionBatch batch) {
        return endHolds(batch, jfc.poll(batch));
    }

    /** {@link Jfs#flush}; ends the holds of the operations that it returns. */
    public int flush(CompletionBatch batch) {
        return endHolds(batch, jfs.flush(batch));
    }

    private int endHolds(CompletionBatch batch, int records) {
        for (int i = 0; i < records; i++) {
            if (!batch.status(i).isMarker()) {
                endNext(batch.userContext(i));
            }
        }
        return records;
    }

    private void endNext(long userContext) {
        int place = (int) ended++ & mask;
        assert userContexts[place] == userContext : "record " + userContext + " before " + userContexts[place];
        Block block = held[place];
        held[place] = null;
        if (block != null) {
            block.unholdQuietly();
        }
    }

    public QueueState state() {
        return jfs.state();
    }

    /** {@link Jfs#modify}. */
    public void modify(QueueState next) {
        jfs.modify(next);
    }

    /** Closes the queue; its unfinished operations and unpolled records are discarded, and their holds end. Idempotent. */
    @Override
    public void close() {
        jfs.close();
        jfc.close();
        while (ended < posted) {
            endNext(userContexts[(int) ended & mask]);
        }
    }

    @Override
    public String toString() {
        return "buffer queue on " + jfs;
    }
}
