package io.urma4j.udma.device;

import static java.util.Objects.requireNonNull;

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
import org.jspecify.annotations.Nullable;

/**
 * The transfers in progress of a send queue. In its order a transfer counts as one whose bytes are being copied: nothing but the end
 * of its blocks, or giving it up here, ends it.
 */
final class BlockTransfers {
    private final SendQueue queue;
    private final SendQueue.Parts parts;
    private final SendOrder<SendSlot, PeerFlow> order;
    private final List<BlockWork> active = new ArrayList<>();
    private final Deque<BlockWork> unused = new ArrayDeque<>();

    BlockTransfers(SendQueue queue, SendQueue.Parts parts, SendOrder<SendSlot, PeerFlow> order) {
        this.queue = queue;
        this.parts = parts;
        this.order = order;
    }

    /** Begins the blocks of the transfer that waits at {@code position}; false if it has failed. */
    boolean begin(long position, SendSlot slot, PeerFlow peer) {
        NativeMemory ring = queue.ring();
        MemorySegment list = parts.keys().local(SendWqe.rangeKey(ring, slot.at, 0));
        int count = SendWqe.rangeLengthBytes(ring, slot.at, 0);
        if (list == null || count <= 0 || (long) count * SendWqe.BLOCK_BYTES > list.byteSize()) {
            order.window().failLater(slot, WorkStatus.LOC_OPERATION_ERR); // a mistake of the driver
            return false;
        }
        BlockWork work = unused.isEmpty() ? new BlockWork(queue, parts, this) : unused.removeLast();
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
        SendSlot slot = slotOf(work);
        if (slot == null) {
            return; // given up meanwhile
        }
        slot.hasBlocks = false;
        slot.hasPlaced = true;
        if (status != WorkStatus.SUCCESS) {
            slot.failedKey = work.failedKey();
            order.window().failLater(slot, status);
        } else if (slot.isMessage()) {
            order.copied(work.position(), slot);
        } else {
            order.window().end(slot, status);
        }
    }

    /** The transfer's place in the order, while it is in progress there. */
    private @Nullable SendSlot slotOf(BlockWork work) {
        long position = work.position();
        if (!order.window().holds(position)) {
            return null;
        }
        SendSlot slot = order.window().at(position);
        return slot.stage == Stage.COPYING ? slot : null;
    }

    /** Gives up all of them: their results are those of what began and was not finished. */
    void abandonAll(long nowNanos) {
        while (!active.isEmpty()) {
            abandon(active.getLast(), nowNanos, false);
        }
    }

    /** The same for one peer, which has one at most. */
    void abandon(PeerFlow peer, long nowNanos, boolean isPaused) {
        BlockWork work = of(peer);
        if (work != null) {
            abandon(work, nowNanos, isPaused);
        }
    }

    private void abandon(BlockWork work, long nowNanos, boolean isPaused) {
        stop(work, nowNanos, isPaused).isTransferring = false;
        SendSlot slot = slotOf(work);
        if (slot != null) {
            order.window().end(slot, WorkStatus.WR_FLUSH_ERR);
        }
    }

    /** The peer is gone: its transfer fails, later, as other requests do. */
    void fail(PeerFlow lost, long nowNanos) {
        BlockWork work = of(lost);
        if (work != null) {
            end(work, stop(work, nowNanos, false), WorkStatus.ACK_TIMEOUT_ERR);
        }
    }

    private @Nullable BlockWork of(PeerFlow peer) {
        for (BlockWork work : active) {
            if (work.peer() == peer) {
                return work;
            }
        }
        return null;
    }

    /** Its record waits for the copies in progress. Returns its peer. */
    private PeerFlow stop(BlockWork work, long nowNanos, boolean isPaused) {
        PeerFlow peer = requireNonNull(work.peer());
        active.remove(work);
        work.abandon(order.window().at(work.position()).pending(parts.copies()), nowNanos, isPaused);
        parts.schedule().queues.remove(work);
        peer.link.forget(work);
        return peer;
    }
}
