package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.SendWork;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a transfer, which a connection executes as the work requests of a queue of their own: as many at once as it has room
 * for. The last element follows all others if the transfer says so. The first failure ends the transfer: no further element starts.
 *
 * <p>The object is used again, unless it was abandoned: its connection may still know it then.
 */
final class BlockWork extends Task implements SendWork, CopyWaiter {
    /** So many are started in one step; then the others have theirs. */
    private static final int STARTS_PER_STEP = 32;

    private final SendQueue queue;
    private final BlockTransfers transfers;
    private final Schedule schedule;
    private final Payloads payloads;
    private final PendingCopies pending; // of all elements

    private @Nullable PeerFlow peer; // null while it is not in use
    private NativeMemory elements = NativeMemory.NONE;
    private long position; // of the transfer
    private int count;
    private int last; // the first element that waits for the end of those before it
    private int next; // to be started
    private int open;
    private int status;
    private long failedKey;

    BlockWork(SendQueue queue, SendQueue.Parts parts, BlockTransfers transfers) {
        this.queue = queue;
        this.transfers = transfers;
        this.schedule = parts.schedule();
        this.payloads = new Payloads(parts.keys(), parts.copies(), elements);
        this.pending = new PendingCopies(parts.copies());
    }

    /** Begins the transfer of {@code at}, whose elements are there, in memory that lives as long as a reference to it. */
    void begin(long at, PeerFlow to, MemorySegment list, int elementCount, boolean isLastAlone) {
        peer = to;
        position = at;
        if (elements.address() != list.address() || elements.lengthBytes() != list.byteSize()) {
            elements = NativeMemory.of(list);
            payloads.ring(elements);
        }
        count = elementCount;
        last = isLastAlone ? elementCount - 1 : elementCount;
        next = 0;
        open = 0;
        status = WorkStatus.SUCCESS;
        failedKey = 0;
        schedule.queues.add(this);
    }

    long position() {
        return position;
    }

    @Nullable
    PeerFlow peer() {
        return peer;
    }

    /** The key of the element that failed; 0 for none. */
    long failedKey() {
        return failedKey;
    }

    @Override
    boolean step(long nowNanos, FlushHint hint) {
        PeerFlow to = peer;
        if (to == null) {
            return false; // abandoned
        }
        boolean hasMore = startMore(to.link);
        boolean isOver = open == 0 && (next == count || status != WorkStatus.SUCCESS);
        if (isOver && pending.haveEnded()) {
            end(to);
            return false;
        }
        return hasMore;
    }

    private void end(PeerFlow to) {
        if (pending.hasFailed()) {
            fail(WorkStatus.LOC_ACCESS_ERR, 0);
        }
        pending.clear();
        sources(to).forget(this);
        peer = null;
        transfers.ended(this, to, status);
    }

    /** A device has copied bytes of it: it looks whether all have ended, and what may go on. */
    @Override
    public void copyEnded() {
        PeerFlow to = peer;
        if (to != null) {
            pending.haveEnded();
            to.link.wake();
            schedule.queues.add(this);
        } else {
            queue.touch(); // given up: the record waits for its copies
        }
    }

    /** True if it has started its share, and has more. */
    private boolean startMore(CardConnection link) {
        for (int started = 0; status == WorkStatus.SUCCESS && next < count; started++) {
            if (link.isLost()) {
                fail(WorkStatus.ACK_TIMEOUT_ERR, next);
                return false;
            }
            if (next == last && (open > 0 || !pending.haveEnded())) {
                return false; // the end of the others calls
            }
            if (pending.hasFailed()) {
                fail(WorkStatus.LOC_ACCESS_ERR, 0); // before a notice, which tells that all bytes are there
                return false;
            }
            if (!link.mayStart(this, next)) {
                link.awaitRoom(this);
                return false;
            }
            if (started == STARTS_PER_STEP) {
                return true;
            }
            open++; // first: a connection may answer at once
            link.start(this, next++, 0, false);
        }
        return false;
    }

    /**
     * Gives it up: no further element starts, and what the connection says of others is ignored.
     *
     * @param record what its record waits for: the copies in progress
     */
    void abandon(PendingCopies record, long nowNanos, boolean isPaused) {
        PeerFlow to = peer;
        peer = null;
        pending.moveTo(record);
        if (to != null) {
            sources(to).forget(this);
        }
        if (to != null && isPaused) {
            to.link.pause(this, nowNanos);
        } else if (to != null) {
            to.link.abandon(this, nowNanos);
        }
    }

    private void fail(int reason, long element) {
        if (status == WorkStatus.SUCCESS) {
            status = reason;
            failedKey = SendStarts.remoteName(elements, at(element));
        }
    }

    @Override
    void due(long nowNanos) {
        throw new IllegalStateException("it has no deadline");
    }

    // ---- what connections ask and answer

    @Override
    public int queueId() {
        return queue.queueId();
    }

    @Override
    public NativeMemory ring() {
        return elements;
    }

    @Override
    public long at(long element) {
        return element * SendWqe.BLOCK_BYTES;
    }

    @Override
    public boolean gather(long element, long from, Packet to, int lengthBytes) {
        PeerFlow by = peer;
        return by != null && isOnDevice(element)
                ? payloads.gather(sources(by), this, element, at(element), from, to, lengthBytes)
                : payloads.gather(at(element), from, to, lengthBytes);
    }

    @Override
    public boolean scatter(long element, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
        return isOnDevice(element)
                ? payloads.scatter(pending, this, at(element), toOffset, from, fromOffset, lengthBytes)
                : payloads.scatter(at(element), toOffset, from, fromOffset, lengthBytes);
    }

    @Override
    public boolean awaits(long element, long from, int lengthBytes) {
        PeerFlow by = peer;
        return by != null
                && isOnDevice(element)
                && payloads.awaits(sources(by), this, element, at(element), from, lengthBytes);
    }

    @Override
    public boolean takes(long element, long toOffset, int lengthBytes) {
        return !isOnDevice(element) || payloads.takes(this, at(element), toOffset, lengthBytes);
    }

    @Override
    public boolean admits(long element) {
        return !isOnDevice(element) || payloads.admits(this, at(element));
    }

    private boolean isOnDevice(long element) {
        return SendWqe.isOnDevice(SendWqe.word(elements, at(element)));
    }

    private SourceWindow sources(PeerFlow by) {
        return by.link.sources(payloads.copies());
    }

    @Override
    public void done(long element, int how) {
        if (peer == null) {
            return;
        }
        open--;
        if (isOnDevice(element)) {
            sources(peer).forget(this, element);
        }
        if (how != WorkStatus.SUCCESS) {
            fail(how, element);
        }
        if (open == 0 || next < count) {
            schedule.queues.add(this);
        }
    }

    /** No element takes a receive: an RNR NAK refuses it. */
    @Override
    public void notReady(long element, long waitNanos) {
        done(element, WorkStatus.REM_OPERATION_ERR);
    }

    @Override
    public String toString() {
        return "transfer " + position + ": " + next + " of " + count + " started, " + open + " open, status " + status;
    }
}
