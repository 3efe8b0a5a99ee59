package io.urma4j.udma.driver;

import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.udma.driver.BlockLists.BlockList;
import org.jspecify.annotations.Nullable;

/**
 * What the driver remembers of the work requests of a send queue, by position, until their records are polled; and what
 * they hold, which cannot be closed while they are unfinished.
 *
 * <p>A slot is filled by the thread that posts. Others let go of what it holds, in order, under the lock.
 */
final class SendEntries {
    private final int mask;
    private final int maxSges;
    private final long[] userContexts;
    private final @Nullable UdmaSegment[] segments; // maxSges of each
    private final @Nullable UdmaImport[] imports; // two of each
    private final @Nullable UdmaTarget[] targets;
    private final @Nullable BlockTransfer[] transfers;
    private final @Nullable BlockList[] blockLists; // of the transfers
    private final BlockLists lists;
    private final SpinLock lock = new SpinLock();

    private long held; // the first that may hold something; guarded by the lock

    /** @param lists take back what transfers held */
    SendEntries(int depth, int maxSges, BlockLists lists) {
        this.mask = depth - 1;
        this.maxSges = maxSges;
        this.userContexts = new long[depth];
        this.segments = new UdmaSegment[depth * maxSges];
        this.imports = new UdmaImport[2 * depth];
        this.targets = new UdmaTarget[depth];
        this.transfers = new BlockTransfer[depth];
        this.blockLists = new BlockList[depth];
        this.lists = lists;
    }

    long userContext(long position) {
        return userContexts[(int) position & mask];
    }

    // ---- filling, before the work request is published

    void begin(long position, long userContext) {
        userContexts[(int) position & mask] = userContext;
    }

    void hold(long position, @Nullable UdmaImport remote, @Nullable UdmaImport notify, @Nullable UdmaTarget target) {
        int index = (int) position & mask;
        if (remote != null) {
            remote.pin();
        }
        if (notify != null) {
            notify.pin();
        }
        if (target != null) {
            target.pin();
        }
        imports[2 * index] = remote;
        imports[2 * index + 1] = notify;
        targets[index] = target;
    }

    void hold(long position, UdmaSegment local) {
        local.pin();
        segments[((int) position & mask) * maxSges] = local;
    }

    void hold(long position, WorkRequest request) {
        int first = ((int) position & mask) * maxSges;
        for (int i = 0; i < request.sgeCount; i++) {
            UdmaSegment local = (UdmaSegment) request.sgeSegment[i];
            assert local != null : "checked by the API";
            local.pin();
            segments[first + i] = local;
        }
    }

    void hold(long position, BlockTransfer transfer, BlockList list) {
        ((UdmaSegment) transfer.local).pin();
        for (int region = 0; region < transfer.regions(); region++) {
            ((UdmaImport) transfer.remote(region)).pin();
        }
        int index = (int) position & mask;
        transfers[index] = transfer;
        blockLists[index] = list;
    }

    // ---- letting go

    /**
     * The peer refused the work request at that position; before it is let go of.
     *
     * @param isAtNotify whether it refused the range of a WRITE_NOTIFY's value, and not that of the bytes
     */
    void refused(long position, boolean isAtNotify) {
        UdmaImport refused = imports[2 * ((int) position & mask) + (isAtNotify ? 1 : 0)];
        if (refused != null) {
            refused.refused();
        }
    }

    /** Every work request before {@code end} has ended. */
    void letGo(long end) {
        lock.acquire();
        for (; held < end; held++) {
            letGoOf((int) held & mask);
        }
        lock.release();
    }

    private void letGoOf(int index) {
        int end = (index + 1) * maxSges;
        for (int i = index * maxSges; i < end; i++) {
            UdmaSegment segment = segments[i];
            if (segment == null) {
                break;
            }
            segment.unpin();
            segments[i] = null;
        }
        UdmaImport remote = imports[2 * index];
        if (remote != null) {
            remote.unpin();
            imports[2 * index] = null;
        }
        UdmaImport notify = imports[2 * index + 1];
        if (notify != null) {
            notify.unpin();
            imports[2 * index + 1] = null;
        }
        UdmaTarget target = targets[index];
        if (target != null) {
            target.unpin();
            targets[index] = null;
        }
        BlockTransfer transfer = transfers[index];
        BlockList list = blockLists[index];
        if (transfer != null && list != null) {
            transfers[index] = null;
            blockLists[index] = null;
            letGoOf(transfer, list);
        }
    }

    private void letGoOf(BlockTransfer transfer, BlockList list) {
        ((UdmaSegment) transfer.local).unpin();
        for (int region = 0; region < transfer.regions(); region++) {
            ((UdmaImport) transfer.remote(region)).unpin();
        }
        lists.give(list);
        transfer.end(); // the last: it may be posted again at once
    }
}
