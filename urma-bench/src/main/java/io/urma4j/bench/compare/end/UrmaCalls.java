package io.urma4j.bench.compare.end;

import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/** Operations on the other process's memory by the simple calls, each done when it returns. For one thread. */
final class UrmaCalls implements AutoCloseable {
    private final RemoteMemory remote;
    private final MemorySegment memory;
    private long last; // that an atomic gave

    UrmaCalls(UrmaCard card, RemoteSegment remote) {
        this.remote = RemoteMemory.of(remote);
        this.memory = card.local.memory().asSlice(UrmaCard.SOURCE);
    }

    Tally reads(long nanos, int bytes) {
        MemorySegment destination = memory.asSlice(0, bytes);
        return repeat(nanos, UrmaOneSided.chunk(bytes), times -> {
            for (int i = 0; i < times; i++) {
                remote.read(0, destination);
            }
        });
    }

    Tally writes(long nanos, int bytes) {
        if (bytes == Long.BYTES) {
            return words(nanos);
        }
        MemorySegment source = memory.asSlice(0, bytes);
        return repeat(nanos, UrmaOneSided.chunk(bytes), times -> {
            for (int i = 0; i < times; i++) {
                remote.write(0, source);
            }
        });
    }

    private Tally words(long nanos) {
        return repeat(nanos, UrmaOneSided.CHUNK, times -> {
            for (int i = 0; i < times; i++) {
                remote.writeLong(0, i);
            }
        });
    }

    Tally adds(long nanos) {
        return repeat(nanos, UrmaOneSided.CHUNK, times -> {
            long before = last;
            for (int i = 0; i < times; i++) {
                before = remote.fetchAndAdd(0, 1);
            }
            last = before;
        });
    }

    /** Each succeeds from the second on: what was there is what the last one left. */
    Tally swaps(long nanos) {
        return repeat(nanos, UrmaOneSided.CHUNK, times -> {
            long seen = last;
            for (int i = 0; i < times; i++) {
                long before = remote.compareAndSwap(0, seen, seen + 1);
                seen = before == seen ? seen + 1 : before;
            }
            last = seen;
        });
    }

    /** In chunks, each with a loop of its own kind, since a loop that all kinds share is compiled for none. */
    private static Tally repeat(long nanos, int chunk, IntConsumer operations) {
        long done = 0;
        long start = System.nanoTime();
        long end = start;
        while (end - start < nanos) {
            operations.accept(chunk);
            done += chunk;
            end = System.nanoTime();
        }
        return Tally.of(done, end - start);
    }

    @Override
    public void close() {
        remote.close();
    }
}
