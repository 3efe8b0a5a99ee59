package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.UrmaException;
import io.urma4j.shm.bounce.RemoteFailure;
import io.urma4j.shm.bounce.ServedMemory;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.StagedRegion;
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
            if (entry.isRemoteServed()) {
                executeServed(entry);
                return CompletionStatus.SUCCESS;
            }
            switch (entry.opcode) {
                case WRITE, WRITE_IMM -> place(entry);
                case WRITE_NOTIFY -> {
                    place(entry);
                    notify(entry);
                }
                case READ -> scatter(entry.sges, memoryOf(entry.remote), entry.remoteOffset);
                default -> atomic(entry);
            }
            return CompletionStatus.SUCCESS;
        } catch (RemoteFailure e) {
            return e.status();
        } catch (IllegalStateException | WrongThreadException | UrmaException e) {
            return statusOf(e, entry);
        }
    }

    private static void executeServed(Wqe entry) {
        ShmImport remote = entry.remote;
        assert remote != null : "the opcode has a remote range";
        ServedMemory served = remote.served();
        served.checkOpen();
        long at = entry.remoteOffset;
        switch (entry.opcode) {
            case WRITE, WRITE_IMM -> ServedRange.write(entry.sges, entry.inlinePayload(), served, at);
            case WRITE_NOTIFY -> {
                ServedRange.write(entry.sges, entry.inlinePayload(), served, at);
                notify(entry);
            }
            case READ -> ServedRange.read(entry.sges, served, at);
            default -> ServedRange.atomic(entry.sges, served, entry.opcode.value(), at, entry.operand, entry.expected);
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
        Placement.storeRelease(memoryOf(entry.notify), entry.notifyOffset, entry.operand);
    }

    private static void place(Wqe entry) {
        if (entry.sges.isOnDevice()) {
            entry.sges.gather(0, memoryOf(entry.remote), entry.remoteOffset, entry.lengthBytes);
        } else if (entry.sges.count() == 1) {
            Placement.write(
                    entry.sges.memory(0),
                    entry.sges.offset(0),
                    memoryOf(entry.remote),
                    entry.remoteOffset,
                    entry.lengthBytes);
        } else {
            entry.gather(0, memoryOf(entry.remote), entry.remoteOffset, entry.lengthBytes);
        }
    }

    /** Each range by {@link Placement#read}, as a READ of one range is. */
    private static void scatter(SgeList sges, MemorySegment from, long fromOffset) {
        long done = 0;
        for (int i = 0; i < sges.count(); i++) {
            StagedRegion device = sges.device(i);
            if (device == null) {
                Placement.read(from, fromOffset + done, sges.memory(i), sges.offset(i), sges.lengthBytes(i));
            } else {
                device.write(sges.offset(i), from, fromOffset + done, sges.lengthBytes(i));
            }
            done += sges.lengthBytes(i);
        }
    }

    /** Executed once, also if its result does not reach the device. */
    private static void atomic(Wqe entry) {
        StagedRegion device = entry.sges.device(0);
        MemorySegment result = device == null ? entry.sges.memory(0) : MemorySegment.ofArray(new long[1]);
        int sizeBytes = (int) entry.sges.lengthBytes(0);
        Placement.atomic(
                entry.opcode.value(),
                memoryOf(entry.remote),
                entry.remoteOffset,
                result,
                device == null ? entry.sges.offset(0) : 0,
                sizeBytes,
                entry.operand,
                entry.expected);
        if (device != null) {
            device.write(entry.sges.offset(0), result, 0, sizeBytes);
        }
    }

    private static MemorySegment memoryOf(@Nullable ShmImport imported) {
        assert imported != null : "the opcode has a remote range";
        return imported.memory;
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
