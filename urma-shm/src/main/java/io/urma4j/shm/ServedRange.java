package io.urma4j.shm;

import io.urma4j.shm.bounce.ServedMemory;
import io.urma4j.spi.support.StagedRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One-sided operations on device memory that its home serves. Each blocks as long as the devices take, without a lock. A transfer from
 * device to device goes through memory of the heap, piece by piece.
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
            StagedRegion device = sges.device(i);
            if (device == null) {
                to.write(at, sges.memory(i), sges.offset(i), sges.lengthBytes(i));
            } else {
                relay(device, sges.offset(i), to, at, sges.lengthBytes(i), true);
            }
            at += sges.lengthBytes(i);
        }
    }

    /** Reads into the local ranges. */
    static void read(SgeList sges, ServedMemory from, long fromOffset) {
        long at = fromOffset;
        for (int i = 0; i < sges.count(); i++) {
            StagedRegion device = sges.device(i);
            if (device == null) {
                from.read(at, sges.memory(i), sges.offset(i), sges.lengthBytes(i));
            } else {
                relay(device, sges.offset(i), from, at, sges.lengthBytes(i), false);
            }
            at += sges.lengthBytes(i);
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
