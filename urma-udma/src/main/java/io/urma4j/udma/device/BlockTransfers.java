package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.support.SendEntry.Stage;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkStatus;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The transfers in progress of a send queue. In its order a transfer counts as one whose bytes are being copied: nothing but the end
 * of its blocks, or giving it up here, ends it.
 */
final class BlockTransfers {
    private final SendQueue queue;
    private final Schedule schedule;
    private final KeyTable keys;
    private final CopyPort copies;
    private final SendOrder<SendSlot, PeerFlow> order;
    private final List<BlockWork> active = new ArrayList<>();
    private final Deque<BlockWork> unused = new ArrayDeque<>();

    BlockTransfers(SendQueue queue, SendQueue.Parts parts, SendOrder<SendSlot, PeerFlow> order) {
        this.queue = queue;
        this.schedule = parts.schedule();
        this.keys = parts.keys();
        this.copies = parts.copies();
        this.order = order;
    }

    /** Begins the blocks of the transfer that waits at {@code position}; false if it has failed. */
    boolean begin(long position, SendSlot slot, PeerFlow peer) {
        NativeMemory ring = queue.ring();
        MemorySegment list = keys.local(SendWqe.rangeKey(ring, slot.at, 0));
        int count = SendWqe.rangeLengthBytes(ring, slot.at, 0);
        if (list == null || count <= 0 || (long) count * SendWqe.BLOCK_BYTES > list.byteSize()) {
            order.window().failLater(slot, WorkStatus.LOC_OPERATION_ERR); // a mistake of the driver
            return false;
        }
        BlockWork work = unused.isEmpty() ? new BlockWork(queue, this, schedule, keys, copies) : unused.removeLast();
        active.add(work);
        peer.isTransferring = true;
        order.copying(slot);
        work.begin(position, peer, list, count, SendWqe.rangeOffset(ring, slot.at, 0) != 0);
        return true;
    }

    /** All blocks have moved, or one has failed and no other is in flight. */
    void ended(BlockWork work, PeerFlow peer, int status) {
        active.remove(work);
        unused.addLast(work);
        end(work, peer, status);
        queue.touch();
    }

    private void end(BlockWork work, PeerFlow peer, int status) {
        peer.isTransferring = false;
        long position = work.position();
        if (!order.window().holds(position) || order.window().at(position).stage != Stage.COPYING) {
            return; // given up meanwhile
        }
        SendSlot slot = order.window().at(position);
        slot.hasBlocks = false;
        slot.hasPlaced = true;
        if (status != WorkStatus.SUCCESS) {
            slot.failedKey = work.failedKey();
            order.window().failLater(slot, status);
        } else if (slot.isMessage()) {
            order.copied(position, slot);
        } else {
            order.window().end(slot, status);
        }
    }

    /** Gives up all of them: their results are those of what began and was not finished. */
    void abandonAll(long nowNanos) {
        while (!active.isEmpty()) {
            abandon(active.getLast(), WorkStatus.WR_FLUSH_ERR, nowNanos, false);
        }
    }

    /** The same for one peer. */
    void abandon(PeerFlow peer, int status, long nowNanos, boolean isPaused) {
        for (int i = active.size() - 1; i >= 0; i--) {
            BlockWork work = active.get(i);
            if (work.peer() == peer) {
                abandon(work, status, nowNanos, isPaused);
            }
        }
    }

    /** The peer is gone: its transfers fail, later, as other requests do. */
    void fail(PeerFlow lost, long nowNanos) {
        for (int i = active.size() - 1; i >= 0; i--) {
            BlockWork work = active.get(i);
            if (work.peer() == lost) {
                active.remove(i);
                work.abandon(copiesOf(work), nowNanos, false);
                schedule.queues.remove(work);
                end(work, lost, WorkStatus.ACK_TIMEOUT_ERR);
            }
        }
    }

    /** What the record of a transfer in progress waits for. */
    private PendingCopies copiesOf(BlockWork work) {
        return order.window().at(work.position()).pending(copies);
    }

    private void abandon(BlockWork work, int status, long nowNanos, boolean isPaused) {
        active.remove(work);
        PeerFlow peer = work.peer();
        work.abandon(copiesOf(work), nowNanos, isPaused);
        schedule.queues.remove(work);
        if (peer == null) {
            return;
        }
        peer.link.forget(work);
        peer.isTransferring = false;
        long position = work.position();
        if (order.window().holds(position) && order.window().at(position).stage == Stage.COPYING) {
            order.window().end(order.window().at(position), status);
        }
    }
}
