package io.urma4j.bench;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** Far more threads than buffers: each waits for its turn, copies 4 KiB, and returns the buffer. */
final class CrowdSuite {
    private static final int BYTES = 4096;
    private static final int BUFFERS = 64;
    private static final int VIRTUAL_THREADS = 20_000;
    private static final int OPERATIONS = 4 * VIRTUAL_THREADS; // of a chunk, whoever does them
    private static final MemorySegment SOURCE = MemorySegment.ofArray(new byte[BYTES]); // of all threads
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Numbers.Run run;

    CrowdSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() {
        if (!run.wants("buffer-crowd")) {
            return;
        }
        try (Urma urma = Urma.open();
                UrmaContext context = urma.device("shm0").openContext();
                RegisteredBufferPool pool = RegisteredBufferPool.open(PoolConfig.fixed(BYTES, BUFFERS), context)) {
            run.tell(Figure.speed(
                    "buffer-crowd",
                    "20,000 virtual threads on 64 buffers, copies of 4 KiB; 64 platform threads",
                    run.alternation()
                            .forLongChunks(3)
                            .measure(
                                    () -> chunkNanos(pool, VIRTUAL_THREADS, Thread.ofVirtual().factory()),
                                    () -> chunkNanos(pool, BUFFERS, Thread.ofPlatform().factory())),
                    new AtLeast(1.0 / 3)));
        }
    }

    private static double chunkNanos(RegisteredBufferPool pool, int threads, ThreadFactory factory) {
        List<Thread> all = new ArrayList<>(threads);
        long start = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            Thread thread = factory.newThread(() -> copy(pool, OPERATIONS / threads));
            all.add(thread);
            thread.start();
        }
        for (Thread thread : all) {
            join(thread);
        }
        return (double) (System.nanoTime() - start) / OPERATIONS;
    }

    private static void copy(RegisteredBufferPool pool, int operations) {
        for (int i = 0; i < operations; i++) {
            try (RdmaBuf buf = pool.acquire(BYTES, PATIENCE)) {
                buf.view().segment().copyFrom(SOURCE);
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while buffers were copied", e);
        }
    }
}
