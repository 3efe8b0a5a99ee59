package io.urma4j.udma.device;

import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.lang.foreign.MemorySegment;

/** Makes the records of a {@link SendQueue}, in order, and those of its drains; takes out what has none. */
final class SendReports {
    private final SendQueue queue;
    private final Board board;
    private final Slots slots;
    private final CompletionQueue cq;
    private final MemorySegment ring;

    SendReports(SendQueue queue, Board board, Slots slots, CompletionQueue cq) {
        this.queue = queue;
        this.board = board;
        this.slots = slots;
        this.cq = cq;
        this.ring = queue.config().ring();
        cq.add(queue);
    }

    /** Whether a marker could be made. */
    boolean canMark() {
        return cq.isValid();
    }

    /** Makes the records of what is finished. */
    void run() {
        long head = queue.head();
        long first = head;
        long end = queue.end();
        while (head < end && isReported(head)) {
            slots.release(head++);
        }
        if (head != first) {
            queue.reportedTo(head);
        }
        switch (queue.drain()) {
            case NONE -> {}
            case ERROR -> drainError();
            case SUSPENSION -> drainSuspension();
        }
    }

    /** Whether the record of {@code position} was made, now or before. */
    private boolean isReported(long position) {
        if (slots.stage(position) == Slots.DONE && tell(position)) {
            slots.stage(position, Slots.REPORTED);
        }
        return slots.stage(position) == Slots.REPORTED;
    }

    private boolean isSilent(long position) {
        return slots.status(position) == WorkStatus.SUCCESS
                && (SendWqe.flags(ring, queue.at(position)) & WorkOpcode.SIGNALLED) == 0;
    }

    private boolean tell(long position) {
        long at = queue.at(position);
        if (isSilent(position)) {
            SendWqe.endSilently(ring, at);
            return true;
        }
        int word = Cqe.word(slots.status(position), SendWqe.opcode(ring, at), 0);
        long length = Integer.toUnsignedLong(SendWqe.lengthBytes(ring, at));
        int elsewhere = SendWqe.cq(ring, at);
        if (elsewhere != 0) {
            CompletionQueue other = board.cqs.find(elsewhere);
            if (other != null && put(other, word, position, length)) {
                return true;
            } // else the result is told here, and not lost
        }
        return put(cq, word, position, length);
    }

    /** Makes a record; without a place the completion queue overflows, and this queue with it. */
    private boolean put(CompletionQueue where, int word, long position, long lengthBytes) {
        if (where != cq) {
            where.add(queue);
        }
        if (!where.isValid()) {
            queue.cqFailed();
            return false;
        }
        if (!where.hasRoom()) {
            where.overflow();
            return false;
        }
        where.put(word, queue.number(), queue.config().tag(), position, lengthBytes, 0);
        return true;
    }

    private void drainError() {
        if (passAll() && putMarker(WorkStatus.WR_FLUSH_ERR_DONE, Cqe.FLUSH_ERR_DONE, queue.end() - 1)) {
            queue.drain(SendQueue.Drain.NONE);
        }
    }

    /**
     * In ERROR, what was never started stays behind and the others pass it.
     *
     * @return whether all that was started has its record
     */
    boolean passAll() {
        for (long position = queue.head(); position < queue.end(); position++) {
            byte stage = slots.stage(position);
            if (stage == Slots.STARTED || (stage == Slots.DONE && !isReported(position))) {
                return false;
            }
        }
        return true;
    }

    /**
     * In SUSPENDED, what was started is waited for, and goes behind the marker when nobody took it. What has ended behind
     * something that is held waits for it, so that records come in order.
     */
    private void drainSuspension() {
        for (long position = queue.head(); position < queue.end(); position++) {
            if (!slots.isSettled(position) && slots.stage(position) == Slots.STARTED) {
                return;
            }
        }
        if (!queue.isEmpty() && slots.stage(queue.head()) == Slots.DONE) {
            return; // its record found no room
        }
        long from = queue.head();
        if (putMarker(WorkStatus.WR_SUSPEND_DONE, Cqe.SUSPEND_DONE, from - 1)) {
            queue.heldFrom(from);
            queue.drain(SendQueue.Drain.NONE);
        }
    }

    /** A completion queue does not overflow by a marker: its poller makes room, and it comes then. */
    private boolean putMarker(int status, int flag, long position) {
        if (!cq.isValid()) {
            return false;
        }
        if (!cq.hasRoom()) {
            board.awaitRecords(queue);
            return false;
        }
        int word = Cqe.word(status, WorkOpcode.NOP, flag);
        cq.put(word, queue.number(), queue.config().tag(), position, 0, 0);
        return true;
    }

    /** Takes out what has no record, in order: two words each, position and status. */
    int flush(long[] out, int max) {
        int count = 0;
        long position = queue.head();
        for (; position < queue.end() && count < max; position++) {
            byte stage = slots.stage(position);
            boolean told = stage == Slots.REPORTED || (stage == Slots.DONE && isSilent(position));
            if (!told) {
                boolean begun =
                        stage == Slots.DONE || stage == Slots.FAILED || slots.status(position) != WorkStatus.SUCCESS;
                out[2 * count] = position;
                out[2 * count + 1] = begun ? slots.status(position) : WorkStatus.WR_UNHANDLED;
                count++;
            }
            queue.release(position);
        }
        queue.reportedTo(position);
        if (queue.isEmpty() && queue.drain() == SendQueue.Drain.ERROR) {
            queue.drain(SendQueue.Drain.NONE); // of a completion queue that has overflowed and takes no marker
        }
        return count;
    }

    /** The queue is closed; no completion queue knows it any more. */
    void close() {
        for (int handle = 1; handle < board.cqs.end(); handle++) {
            CompletionQueue used = board.cqs.find(handle);
            if (used != null) {
                used.remove(queue);
            }
        }
    }
}
