package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.Aeth;
import org.jspecify.annotations.Nullable;

/** A work request in progress. It is carried by one {@link WireMessage} or by several. The object is reused. */
final class Request {
    private static final long U32 = 0xFFFF_FFFFL;

    @Nullable
    private SendWork work;

    long position;
    int remoteQueue;
    boolean startsAnew;

    int opcode;
    private int word; // of its element
    long lengthBytes;
    int remoteKey;
    long remoteVa;

    /** How many of its bytes are in messages. */
    long cutBytes;

    boolean isCut;

    /** How many of its messages are unfinished. */
    int open;

    /** Its status, as far as is known. */
    int status;

    /** How long its queue must wait before it retries; negative unless the target was not ready. */
    long waitNanos;

    /** Its queue no longer waits for it, and its payload may be gone. */
    boolean isAbandoned;

    void start(SendWork from, long at, int toQueue, boolean anew) {
        work = from;
        position = at;
        remoteQueue = toQueue;
        startsAnew = anew;
        NativeMemory ring = from.ring();
        long wqe = from.at(at);
        word = SendWqe.word(ring, wqe);
        opcode = SendWqe.opcode(word);
        lengthBytes = SendWqe.lengthBytes(ring, wqe) & U32;
        remoteKey = SendWqe.remoteKey(ring, wqe);
        remoteVa = SendWqe.remoteVa(ring, wqe);
        cutBytes = 0;
        isCut = false;
        open = 0;
        status = WorkStatus.SUCCESS;
        waitNanos = -1;
        isAbandoned = false;
    }

    SendWork work() {
        return requireNonNull(work);
    }

    @SuppressWarnings("ReferenceEquality") // a queue is itself
    boolean isOf(SendWork some) {
        return work == some;
    }

    int sourceQueue() {
        return work().queueId();
    }

    /** READs and atomics have responses: no acknowledgement of other packets completes them. */
    boolean isAnswered() {
        return opcode == WorkOpcode.READ || WorkOpcode.isAtomic(opcode);
    }

    boolean isRead() {
        return opcode == WorkOpcode.READ;
    }

    /** Whether it takes a receive at the peer, so that the receiver may be not ready. */
    boolean takesReceive() {
        return WorkOpcode.isMessage(opcode);
    }

    /** It will not succeed; the first reason counts. */
    void fail(int reason) {
        if (status == WorkStatus.SUCCESS) {
            status = reason;
        }
    }

    /** The peer has refused it; the element says so if what it refused is the range of a WRITE_NOTIFY's value. */
    void refused(int syndrome) {
        if (syndrome == Aeth.NAK_VALUE_ACCESS && opcode == WorkOpcode.WRITE_NOTIFY && !hasFailed() && !isAbandoned) {
            SendWqe.notifyGone(work().ring(), work().at(position));
        }
        fail(status(syndrome));
    }

    /** The status of a request that was refused with that syndrome. */
    static int status(int syndrome) {
        return switch (syndrome) {
            case Aeth.NAK_INVALID_REQUEST, Aeth.NAK_INVALID_RD_REQUEST -> WorkStatus.REM_UNSUPPORTED_REQ_ERR;
            case Aeth.NAK_REMOTE_ACCESS, Aeth.NAK_VALUE_ACCESS -> WorkStatus.REM_ACCESS_ABORT_ERR;
            default -> WorkStatus.REM_OPERATION_ERR;
        };
    }

    boolean hasFailed() {
        return status != WorkStatus.SUCCESS || waitNanos >= 0;
    }

    boolean isOver() {
        return isCut && open == 0;
    }

    /** Reports it to its queue now, though the connection is not done with it. */
    void abandon() {
        isAbandoned = true;
        work().done(position, status);
    }

    /** Reports it to its queue, once. */
    void end() {
        SendWork queue = work();
        work = null;
        if (isAbandoned) {
            return;
        }
        if (status == WorkStatus.SUCCESS && waitNanos >= 0) {
            queue.notReady(position, waitNanos);
        } else {
            queue.done(position, status);
        }
    }

    // ---- fields that only its packets need, read directly from the element

    int hint() {
        return SendWqe.hint(word);
    }

    boolean isSolicited() {
        return (SendWqe.flags(word) & WorkOpcode.SOLICITED) != 0;
    }

    long operand() {
        return SendWqe.operand(work().ring(), work().at(position));
    }

    long expected() {
        return SendWqe.expected(work().ring(), work().at(position));
    }

    int notifyKey() {
        return SendWqe.notifyKey(work().ring(), work().at(position));
    }

    @Override
    public String toString() {
        return String.format("request %d: opcode 0x%02x, %d bytes, status %d", position, opcode, lengthBytes, status);
    }
}
