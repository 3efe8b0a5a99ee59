package io.urma4j.npu;

import io.urma4j.npu.NpuFrames.Frame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An allocation of a device. Guarded by the device. */
final class NpuAllocation {
    final long address;
    final long lengthBytes;
    final long bufferId;
    final NpuMemoryKind kind;
    final List<NpuRegistration> registrations = new ArrayList<>(); // that hold pages, oldest first
    Frame[] frames;
    boolean freed;
    int shared; // handles that peers may open

    /** The memory of another process that it is; null for memory of this device. */
    final @Nullable NpuStore opened;

    NpuAllocation(
            long address,
            long lengthBytes,
            long bufferId,
            NpuMemoryKind kind,
            Frame[] frames,
            @Nullable NpuStore opened) {
        this.opened = opened;
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
