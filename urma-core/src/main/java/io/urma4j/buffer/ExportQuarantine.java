package io.urma4j.buffer;

import io.urma4j.internal.ResultExecutors;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Chunks whose lease is over, and of which a peer still uses a window. Each comes back by itself, once its windows are quiet: their
 * operations have ended, or the peer is proven gone. A stopped peer keeps its own chunks, and no other. Safe for any thread.
 */
final class ExportQuarantine {
    private static final long SHORTEST_NANOS = 1_000_000;
    private static final long LONGEST_NANOS =
            128_000_000; // what a chunk is late at most, unless a request looks earlier

    private final Consumer<Chunk> source;
    private final List<Chunk> chunks = new ArrayList<>(); // guarded by this
    private boolean isLooking; // guarded by this
    private long pauseNanos; // guarded by this
    private volatile int count; // of the chunks, for a look without the lock

    /** @param source receives each chunk whose windows are quiet */
    ExportQuarantine(Consumer<Chunk> source) {
        this.source = source;
    }

    int count() {
        return count;
    }

    synchronized long bytes() {
        return chunks.stream().mapToLong(chunk -> chunk.slab().chunkBytes()).sum();
    }

    synchronized void add(Chunk chunk) {
        chunks.add(chunk);
        count = chunks.size();
        pauseNanos = SHORTEST_NANOS;
        lookLater();
    }

    private synchronized void lookLater() {
        if (!isLooking && !chunks.isEmpty()) {
            isLooking = true;
            CompletableFuture.delayedExecutor(pauseNanos, TimeUnit.NANOSECONDS, ResultExecutors.VIRTUAL_THREADS)
                    .execute(this::lookAgain);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_NANOS);
        }
    }

    private void lookAgain() {
        synchronized (this) {
            isLooking = false;
        }
        try {
            look();
        } finally {
            lookLater();
        }
    }

    /** Gives back the chunks whose windows are quiet by now. */
    void look() {
        if (count > 0) {
            takeQuiet().forEach(source);
        }
    }

    private synchronized List<Chunk> takeQuiet() {
        List<Chunk> quiet = new ArrayList<>();
        for (Chunk chunk : chunks) {
            if (chunk.block().endExports()) {
                quiet.add(chunk);
            }
        }
        chunks.removeAll(quiet);
        count = chunks.size();
        return quiet;
    }
}
