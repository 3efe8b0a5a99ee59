package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * The virtual addresses of a device: a range of this process that maps nothing, so that a host access by mistake ends in an
 * {@link InternalError}. A freed range is the next to be used, so that stale users find another allocation there at once. Guarded
 * by its device.
 */
final class NpuAddresses {
    private final Arena arena = Arena.ofShared();
    private final Deque<Range> free = new ArrayDeque<>(); // last freed first

    private record Range(long address, long lengthBytes) {}

    NpuAddresses(long lengthBytes) {
        free.add(new Range(reserve(lengthBytes), lengthBytes));
    }

    /** A mapping of a file that has become empty: an access finds no page, and the JVM throws. */
    private long reserve(long lengthBytes) {
        try {
            Path file = Files.createTempFile("urma-npu-", ".addresses");
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
                long alignedBytes = lengthBytes + NpuDevice.GRANULE_BYTES;
                MemorySegment window = channel.map(FileChannel.MapMode.READ_WRITE, 0, alignedBytes, arena);
                channel.truncate(0);
                return (window.address() + NpuDevice.GRANULE_BYTES - 1) & -NpuDevice.GRANULE_BYTES;
            }
        } catch (IOException e) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM,
                    "simulated NPU",
                    "cannot reserve " + lengthBytes + " bytes of addresses: " + e,
                    e);
        }
    }

    /** Takes a range; ENOMEM if no free one is long enough. */
    long take(long lengthBytes) {
        for (Iterator<Range> ranges = free.iterator(); ranges.hasNext(); ) {
            Range range = ranges.next();
            if (range.lengthBytes >= lengthBytes) {
                ranges.remove();
                if (range.lengthBytes > lengthBytes) {
                    free.addLast(new Range(range.address + lengthBytes, range.lengthBytes - lengthBytes));
                }
                return range.address;
            }
        }
        throw new UrmaException(
                UrmaStatus.ENOMEM, "simulated NPU", "no free range of " + lengthBytes + " bytes of addresses");
    }

    void giveBack(long address, long lengthBytes) {
        free.addFirst(new Range(address, lengthBytes));
    }

    void close() {
        arena.close();
    }
}
