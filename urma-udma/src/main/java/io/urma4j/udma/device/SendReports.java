package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;

/** Makes the records of a send queue and its markers. */
final class SendReports {
    private final int number;
    private final int tag;
    private final NativeMemory ring;
    private final CompletionQueue cq;
    private final Handles<CompletionQueue> cqs;

    /** @param number of the queue on the wire */
    SendReports(int number, SendQueueConfig config, Handles<CompletionQueue> cqs) {
        this.number = number;
        this.tag = config.tag();
        this.ring = config.ring();
        this.cq = cqs.get(config.cq());
        this.cqs = cqs;
    }

    /** Whether a marker could be made. */
    boolean canMark() {
        return cq.isValid();
    }

    /** Makes the record of a work request that has its status; false when there is no room. */
    boolean record(long position, SendSlot slot, CompletionQueue.User queue, long nowNanos) {
        if (slot.isSilent()) {
            SendWqe.endSilently(ring, slot.at);
            return true;
        }
        int word = Cqe.word(slot.status, slot.opcode, 0);
        long length = Integer.toUnsignedLong(SendWqe.lengthBytes(ring, slot.at));
        int elsewhere = SendWqe.cq(ring, slot.at);
        if (elsewhere != 0) {
            CompletionQueue other = cqs.find(elsewhere);
            if (other != null && put(other, word, position, length, queue, nowNanos)) {
                return true;
            } // else the result goes here, and is not lost
        }
        return put(cq, word, position, length, queue, nowNanos);
    }

    /** Makes a record; without a place the completion queue overflows, and this queue with it. */
    private boolean put(
            CompletionQueue where,
            int word,
            long position,
            long lengthBytes,
            CompletionQueue.User queue,
            long nowNanos) {
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
        where.put(word, number, tag, position, lengthBytes, 0, nowNanos);
        return true;
    }

    /** Makes a marker if there is space: a completion queue does not overflow by it. */
    boolean mark(int status, long position, long nowNanos) {
        if (!canMark() || !cq.hasRoom()) {
            return false;
        }
        int flag = status == WorkStatus.WR_SUSPEND_DONE ? Cqe.SUSPEND_DONE : Cqe.FLUSH_ERR_DONE;
        int word = Cqe.word(status, WorkOpcode.NOP, flag);
        cq.put(word, number, tag, position, 0, 0, nowNanos);
        return true;
    }

    /** The queue is closed; no completion queue knows it any more. */
    void close(CompletionQueue.User queue) {
        cqs.forEach(used -> used.remove(queue));
    }
}
