package io.urma4j.examples.blockstore.load;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A client's counts, over all of its lives: a mapped file with a word for each count, which the coordinator maps too. A kill loses
 * none. Safe for any number of threads and processes.
 */
final class Counts implements AutoCloseable {
    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private final Arena arena;
    private final MemorySegment words;

    private Counts(Arena arena, MemorySegment words) {
        this.arena = arena;
        this.words = words;
    }

    /** The counts, in the order of their words. */
    enum Count {
        READS,
        WRITES,
        /** Of the blocks that were read and written. */
        BYTES,
        /** Attempts that were repeated. */
        RETRIES,
        RECONNECTS,
        /** Reads that returned less than was acknowledged. */
        LOST,
        /** Reads whose bytes fail a checksum, or are not those of any attempt. */
        CORRUPT,
        /** Requests that the server refused, or did not serve in time. */
        FAILED
    }

    static Counts open(Path file) throws IOException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long bytes = (long) Count.values().length * Long.BYTES;
            return new Counts(arena, channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena));
        }
    }

    void add(Count count, long more) {
        var _ = (long) WORD.getAndAdd(words, at(count), more);
    }

    long get(Count count) {
        return (long) WORD.getVolatile(words, at(count));
    }

    @SuppressWarnings("EnumOrdinal") // declared in the order of their words
    private static long at(Count count) {
        return (long) count.ordinal() * Long.BYTES;
    }

    @Override
    public void close() {
        arena.close();
    }
}
