package io.urma4j.shm;

import io.urma4j.shm.bounce.ServedMemory;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.support.StagedRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One-sided operations on device memory that its home serves. Each blocks as long as the devices take, without a lock. A transfer from
 * device to device goes through memory of the heap, piece by piece, unless this process has opened the home's memory.
 */
final class ServedRange {
    private static final int RELAY_BYTES = 1 << 20;

    private ServedRange() {}

    /** Writes the local ranges, or the inline payload if there is one. */
    static void write(SgeList sges, @Nullable MemorySegment inline, ServedMemory to, long toOffset) {
        if (inline != null) {
            to.write(toOffset, inline, 0, inline.byteSize());
            return;
        }
        long at = toOffset;
        for (int i = 0; i < sges.count(); i++) {
            write(sges.segment(i), sges.offset(i), to, at, sges.lengthBytes(i));
            at += sges.lengthBytes(i);
        }
    }

    /** Writes a range of a segment. */
    static void write(ShmSegment from, long fromOffset, ServedMemory to, long toOffset, long lengthBytes) {
        StagedRegion device = from.device();
        if (device == null) {
            to.write(toOffset, from.memory, fromOffset, lengthBytes);
        } else if (!to.tryWrite(toOffset, device, fromOffset, lengthBytes)) {
            relay(device, fromOffset, to, toOffset, lengthBytes, true);
        }
    }

    /** Reads into the local ranges. */
    static void read(SgeList sges, ServedMemory from, long fromOffset) {
        long at = fromOffset;
        for (int i = 0; i < sges.count(); i++) {
            read(sges.segment(i), sges.offset(i), from, at, sges.lengthBytes(i));
            at += sges.lengthBytes(i);
        }
    }

    /** Reads into a range of a segment. */
    static void read(ShmSegment to, long toOffset, ServedMemory from, long fromOffset, long lengthBytes) {
        StagedRegion device = to.device();
        if (device == null) {
            from.read(fromOffset, to.memory, toOffset, lengthBytes);
        } else if (!from.tryRead(fromOffset, device, toOffset, lengthBytes)) {
            relay(device, toOffset, from, fromOffset, lengthBytes, false);
        }
    }

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

    /** Executed once, also if its result does not reach the local range. */
    static void atomic(SgeList sges, ServedMemory on, int opcode, long offset, long operand, long expected) {
        int sizeBytes = (int) sges.lengthBytes(0);
        long old = on.atomic(opcode, offset, sizeBytes, operand, expected);
        MemorySegment result = sizeBytes == Long.BYTES
                ? MemorySegment.ofArray(new long[] {old})
                : MemorySegment.ofArray(new int[] {(int) old});
        sges.scatter(result, 0, 0, sizeBytes);
    }
}
