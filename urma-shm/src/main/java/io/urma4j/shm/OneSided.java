package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.UrmaException;
import io.urma4j.shm.bounce.RemoteFailure;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Executes one-sided operations of the general form, and translates failed accesses. An operation with a range in device memory
 * blocks as long as the device takes.
 */
final class OneSided {
    private OneSided() {}

    /** Moves the bytes of a READ, an atomic, or any kind of WRITE. */
    static CompletionStatus execute(Wqe entry) {
        try {
            if (entry.blocks != null) {
                return transfer(entry, entry.blocks);
            }
            ShmImport remote = entry.remote;
            assert remote != null : "the opcode has a remote range";
            if (remote.isServed()) {
                remote.served().checkOpen();
            }
            switch (entry.opcode) {
                case WRITE, WRITE_IMM -> write(entry, remote);
                case WRITE_NOTIFY -> {
                    write(entry, remote);
                    notify(entry);
                }
                case READ -> read(entry.sges, remote, entry.remoteOffset);
                default ->
                    RangeCopies.atomic(
                            entry.sges,
                            remote,
                            entry.opcode.value(),
                            entry.remoteOffset,
                            entry.operand,
                            entry.expected);
            }
            return CompletionStatus.SUCCESS;
        } catch (RemoteFailure e) {
            return e.status();
        } catch (IllegalStateException | WrongThreadException | UrmaException e) {
            return statusOf(e, entry);
        }
    }

    private static CompletionStatus transfer(Wqe entry, BlockTransfer transfer) {
        ShmImport revoked = BlockCopies.revoked(transfer);
        if (revoked != null) {
            entry.remote = revoked;
        }
        if (revoked != null || isGone(entry.notify)) {
            return CompletionStatus.REM_ACCESS_ABORT_ERR;
        }
        try {
            BlockCopies.run(transfer);
        } finally {
            entry.remote = (ShmImport) transfer.remote(transfer.region); // which a failure is of
        }
        if (entry.notify != null) {
            notify(entry);
        }
        return CompletionStatus.SUCCESS;
    }

    /** Release: a reader that sees the value sees the bytes. */
    private static void notify(Wqe entry) {
        ShmImport word = entry.notify;
        assert word != null : "the opcode has a word";
        Placement.storeRelease(word.memory, entry.notifyOffset, entry.operand);
    }

    private static void write(Wqe entry, ShmImport to) {
        long next = entry.remoteOffset;
        MemorySegment inline = entry.inlinePayload();
        if (inline != null) {
            RangeCopies.write(inline, 0, to, next, entry.lengthBytes);
            return;
        }
        SgeList sges = entry.sges;
        for (int i = 0; i < sges.count(); i++) {
            RangeCopies.write(sges.segment(i), sges.offset(i), to, next, sges.lengthBytes(i));
            next += sges.lengthBytes(i);
        }
    }

    private static void read(SgeList sges, ShmImport from, long fromOffset) {
        long next = fromOffset;
        for (int i = 0; i < sges.count(); i++) {
            RangeCopies.read(sges.segment(i), sges.offset(i), from, next, sges.lengthBytes(i));
            next += sges.lengthBytes(i);
        }
    }

    /** The status of a failed access: one of the memories is closed, or belongs to another thread. */
    static CompletionStatus statusOf(RuntimeException failure, Wqe entry) {
        return statusOf(failure, isGone(entry.remote) || isGone(entry.notify));
    }

    /** The same for an operation that has no entry. */
    static CompletionStatus statusOf(RuntimeException failure, ShmImport remote) {
        return statusOf(failure, isGone(remote));
    }

    private static CompletionStatus statusOf(RuntimeException failure, boolean isRemoteGone) {
        if (!(failure instanceof IllegalStateException)
                && !(failure instanceof WrongThreadException)
                && !(failure instanceof UrmaException)) { // of a copy engine
            throw failure; // a bug of ours
        }
        Placement.forgetFence(failure);
        return isRemoteGone ? CompletionStatus.REM_ACCESS_ABORT_ERR : CompletionStatus.LOC_ACCESS_ERR;
    }

    static boolean isGone(@Nullable ShmImport imported) {
        return imported != null && imported.isGone();
    }
}
