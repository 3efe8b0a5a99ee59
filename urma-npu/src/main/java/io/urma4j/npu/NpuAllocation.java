package io.urma4j.npu;

import io.urma4j.npu.NpuFrames.Frame;
import java.util.ArrayList;
import java.util.List;

/** An allocation of a device. Guarded by the device. */
final class NpuAllocation {
    final long address;
    final long lengthBytes;
    final long bufferId;
    final NpuMemoryKind kind;
    final List<NpuRegistration> registrations = new ArrayList<>(); // that hold pages, oldest first
    Frame[] frames;
    boolean freed;

    NpuAllocation(long address, long lengthBytes, long bufferId, NpuMemoryKind kind, Frame[] frames) {
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.bufferId = bufferId;
        this.kind = kind;
        this.frames = frames;
    }

    boolean contains(long from, long bytes) {
        long offset = from - address;
        return offset >= 0 && offset < lengthBytes && bytes <= lengthBytes - offset;
    }
}
