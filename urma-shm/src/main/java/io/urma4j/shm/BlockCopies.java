package io.urma4j.shm;

import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.BlockTransfer;
import org.jspecify.annotations.Nullable;

/**
 * Moves the blocks of a transfer in the calling thread, run by run: neighbours at both ends move as one. Each access is checked by
 * its memory, as every other is; blocks of device memory take the way of other ranges there, and block the thread.
 */
final class BlockCopies {
    private BlockCopies() {}

    /** Moves a run of blocks; false if it cannot. */
    @FunctionalInterface
    interface Mover {
        boolean move(
                ShmSegment local, long offset, ShmImport remote, long remoteOffset, long lengthBytes, boolean isRead);
    }

    /** Moves all blocks; after a failure {@link BlockTransfer#region} is the import at which it happened. */
    static void run(BlockTransfer transfer) {
        if (!DirectMoves.tryBlocks(transfer)) {
            run(transfer, RangeCopies::move);
        }
    }

    /** Moves blocks until all are moved, or the mover cannot. Returns whether all are. */
    static boolean run(BlockTransfer transfer, Mover mover) {
        ShmSegment local = (ShmSegment) transfer.local;
        ShmImport remote = (ShmImport) transfer.remote(0);
        long blockBytes = transfer.blockBytes;
        boolean isRead = transfer.isRead();
        transfer.region = 0;
        int first = 0; // blocks of the import
        int end = transfer.firstBlock(1);
        int blocks = transfer.blocks();
        for (int i = 0; i < blocks; ) {
            int block = transfer.remoteBlock(i);
            if (block < first || block >= end) {
                int region = transfer.regionOf(block);
                transfer.region = region;
                remote = (ShmImport) transfer.remote(region);
                first = transfer.firstBlock(region);
                end = transfer.firstBlock(region + 1);
            }
            int run = transfer.run(i, end);
            long remoteOffset = (block - first) * blockBytes;
            long localOffset = transfer.localBlock(i) * blockBytes;
            if (!mover.move(local, localOffset, remote, remoteOffset, run * blockBytes, isRead)) {
                return false;
            }
            i += run;
        }
        return true;
    }

    /** The first of its imports that is revoked; null if none is. */
    static @Nullable ShmImport revoked(BlockTransfer transfer) {
        for (int region = 0; region < transfer.regions(); region++) {
            ShmImport remote = (ShmImport) transfer.remote(region);
            if (remote.isGone()) {
                return remote;
            }
        }
        return null;
    }
}
