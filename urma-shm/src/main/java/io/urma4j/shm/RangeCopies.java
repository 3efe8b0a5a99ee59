package io.urma4j.shm;

import io.urma4j.shm.bounce.ServedMemory;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.StagedRegion;
import java.lang.foreign.MemorySegment;

/**
 * One-sided operations between a range of a local segment and one of an import, each in memory of the host or of a device: by the
 * CPU, by the device of this context, or by the home. An operation with device memory blocks as long as the devices take, without a
 * lock. A transfer from device to device goes through memory of the heap, piece by piece, unless this process has opened the home's
 * memory.
 */
final class RangeCopies {
    private static final int RELAY_BYTES = 1 << 20;

    private RangeCopies() {}

    /** Whether both ends are memory of the host, so that the CPU copies. */
    static boolean areByCpu(ShmSegment local, ShmImport remote) {
        return !remote.isServed() && local.device() == null;
    }

    /** Moves a range; always true. */
    static boolean move(
            ShmSegment local, long offset, ShmImport remote, long remoteOffset, long lengthBytes, boolean isRead) {
        if (isRead) {
            read(local, offset, remote, remoteOffset, lengthBytes);
        } else {
            write(local, offset, remote, remoteOffset, lengthBytes);
        }
        return true;
    }

    static void write(ShmSegment from, long fromOffset, ShmImport to, long toOffset, long lengthBytes) {
        StagedRegion device = from.device();
        if (DirectMoves.tryRange(from, fromOffset, to, toOffset, lengthBytes, false)) {
            return;
        }
        if (device == null) {
            write(from.memory, fromOffset, to, toOffset, lengthBytes);
        } else if (to.isServed()) {
            relay(device, fromOffset, to.served(), toOffset, lengthBytes, true);
        } else {
            device.read(fromOffset, to.memory, toOffset, lengthBytes);
        }
    }

    /** Writes memory of the host. */
    static void write(MemorySegment from, long fromOffset, ShmImport to, long toOffset, long lengthBytes) {
        if (to.isServed()) {
            to.served().write(toOffset, from, fromOffset, lengthBytes);
        } else {
            Placement.write(from, fromOffset, to.memory, toOffset, lengthBytes);
        }
    }

    static void read(ShmSegment to, long toOffset, ShmImport from, long fromOffset, long lengthBytes) {
        StagedRegion device = to.device();
        if (DirectMoves.tryRange(to, toOffset, from, fromOffset, lengthBytes, true)) {
            return;
        }
        if (from.isServed() && device != null) {
            relay(device, toOffset, from.served(), fromOffset, lengthBytes, false);
        } else if (from.isServed()) {
            from.served().read(fromOffset, to.memory, toOffset, lengthBytes);
        } else if (device != null) {
            device.write(toOffset, from.memory, fromOffset, lengthBytes);
        } else {
            Placement.read(from.memory, fromOffset, to.memory, toOffset, lengthBytes);
        }
    }

    /** From device to device. */
    private static void relay(
            StagedRegion near, long nearOffset, ServedMemory far, long farOffset, long lengthBytes, boolean isWrite) {
        MemorySegment room = MemorySegment.ofArray(new byte[(int) Math.min(lengthBytes, RELAY_BYTES)]);
        for (long done = 0; done < lengthBytes; done += RELAY_BYTES) {
            long piece = Math.min(RELAY_BYTES, lengthBytes - done);
            if (isWrite) {
                near.read(nearOffset + done, room, 0, piece);
                far.write(farOffset + done, room, 0, piece);
            } else {
                far.read(farOffset + done, room, 0, piece);
                near.write(nearOffset + done, room, 0, piece);
            }
        }
    }

    /** Executes an atomic once, also if its result does not reach the first of the local ranges. */
    static void atomic(SgeList result, ShmImport on, int opcode, long offset, long operand, long expected) {
        int sizeBytes = (int) result.lengthBytes(0);
        if (areByCpu(result.segment(0), on)) {
            Placement.atomic(
                    opcode, on.memory, offset, result.memory(0), result.offset(0), sizeBytes, operand, expected);
            return;
        }
        long value = on.isServed()
                ? on.served().atomic(opcode, offset, sizeBytes, operand, expected)
                : Placement.atomic(opcode, on.memory, offset, sizeBytes, operand, expected);
        MemorySegment old = sizeBytes == Long.BYTES
                ? MemorySegment.ofArray(new long[] {value})
                : MemorySegment.ofArray(new int[] {(int) value});
        result.scatter(old, 0, 0, sizeBytes);
    }
}
