package io.urma4j.udma.device;

import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.lang.foreign.MemorySegment;

/** Makes the records of a {@link SendQueue} and its markers. */
final class SendReports {
    private final SendQueue queue;
    private final Board board;
    private final CompletionQueue cq;
    private final MemorySegment ring;

    SendReports(SendQueue queue, Board board, CompletionQueue cq) {
        this.queue = queue;
        this.board = board;
        this.cq = cq;
        this.ring = queue.config().ring();
        cq.add(queue);
    }

    /** Whether a marker could be made. */
    boolean canMark() {
        return cq.isValid();
    }

    /** Makes the record of a work request that has its status; false when there is no room. */
    boolean record(long position, SendSlot slot) {
        if (slot.isSilent()) {
            SendWqe.endSilently(ring, slot.at);
            return true;
        }
        int word = Cqe.word(slot.status, slot.opcode, 0);
        long length = Integer.toUnsignedLong(SendWqe.lengthBytes(ring, slot.at));
        int elsewhere = SendWqe.cq(ring, slot.at);
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

    /** A completion queue does not overflow by a marker: its poller makes room, and it comes then. */
    boolean mark(int status, long position) {
        if (!cq.isValid()) {
            return false;
        }
        if (!cq.hasRoom()) {
            board.awaitRecords(queue);
            return false;
        }
        int flag = status == WorkStatus.WR_SUSPEND_DONE ? Cqe.SUSPEND_DONE : Cqe.FLUSH_ERR_DONE;
        int word = Cqe.word(status, WorkOpcode.NOP, flag);
        cq.put(word, queue.number(), queue.config().tag(), position, 0, 0);
        return true;
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
