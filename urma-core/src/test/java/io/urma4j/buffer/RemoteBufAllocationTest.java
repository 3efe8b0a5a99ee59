package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** S14.30: what the binary forms allocate on the Java heap. */
class RemoteBufAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 1000;
    private static final int WINDOWS = 16;

    private final RemoteBufCodec codec = new RemoteBufCodec();

    private static long bytesOf(Runnable operation) {
        for (int i = 0; i < 20_000; i++) {
            operation.run();
        }
        long[] bytes = new long[WINDOWS];
        for (int i = 0; i < WINDOWS; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int j = 0; j < OPERATIONS; j++) {
                operation.run();
            }
            bytes[i] = (THREADS.getCurrentThreadAllocatedBytes() - before) / OPERATIONS;
        }
        Arrays.sort(bytes);
        return bytes[WINDOWS / 4];
    }

    @Test
    void writingAllocatesNothing() {
        RemoteBuf one = RemoteBufs.one(4096, 1000);
        RemoteBuf part = RemoteBufs.two(8192, 4096).subrange(1, 9);
        List<RemoteBuf> list = RemoteBufs.neighbours(16);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment to = arena.allocate(2048);
            assertThat(bytesOf(() -> codec.encode(one, to))).isZero();
            assertThat(bytesOf(() -> codec.encode(part, to))).isZero();
            assertThat(bytesOf(() -> codec.encodeAll(list, to))).isZero();
        }
    }

    /** Also if all have the same hash. */
    @Test
    void severalSlabsShareTheCache() {
        List<RemoteBuf> slabs =
                Stream.generate(() -> RemoteBufs.one(4096, 1000)).limit(4).toList();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment to = arena.allocate(2048);
            assertThat(bytesOf(() -> slabs.forEach(buf -> codec.encode(buf, to))))
                    .isLessThan(100);
        }
    }

    /** A buffer, its list, a window and a key: the descriptor is shared. */
    @Test
    void readingAllocatesTheResultAlone() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment to = arena.allocate(2048);
            MemorySegment form = to.asSlice(0, codec.encode(RemoteBufs.one(4096, 1000), to));
            RemoteBuf[] read = new RemoteBuf[1];
            long bytes = bytesOf(() -> read[0] = codec.decode(form));
            assertThat(read[0]).isEqualTo(RemoteBufs.one(4096, 1000));
            assertThat(bytes)
                    .as("RemoteBuf 32, List12 24, Window 32, WindowKey 56")
                    .isLessThanOrEqualTo(32 + 24 + 32 + 56);
        }
    }
}
