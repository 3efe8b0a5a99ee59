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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The virtual addresses of a device: a range of this process that maps nothing, so that a host access by mistake ends in an
 * {@link InternalError}. A freed range is the next to be used, so that stale users find another allocation there at once. Guarded
 * by its device.
 */
final class NpuAddresses {
    private static final long NONE = -1;

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

    /** Takes a range; ENOMEM if no free one is long enough, also when neighbours are joined. */
    long take(long lengthBytes) {
        long taken = tryTake(lengthBytes);
        if (taken == NONE) {
            joinNeighbours();
            taken = tryTake(lengthBytes);
        }
        if (taken == NONE) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM, "simulated NPU", "no free range of " + lengthBytes + " bytes of addresses");
        }
        return taken;
    }

    private long tryTake(long lengthBytes) {
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
        return NONE;
    }

    /** Only where it must be, because it forgets which range was freed last. */
    private void joinNeighbours() {
        List<Range> inOrder = new ArrayList<>(free);
        inOrder.sort(Comparator.comparingLong(Range::address));
        free.clear();
        for (Range range : inOrder) {
            Range before = free.peekLast();
            if (before != null && before.address + before.lengthBytes == range.address) {
                free.removeLast();
                free.addLast(new Range(before.address, before.lengthBytes + range.lengthBytes));
            } else {
                free.addLast(range);
            }
        }
    }

    void giveBack(long address, long lengthBytes) {
        free.addFirst(new Range(address, lengthBytes));
    }

    void close() {
        arena.close();
    }
}
