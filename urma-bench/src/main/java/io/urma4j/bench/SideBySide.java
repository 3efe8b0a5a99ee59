package io.urma4j.bench;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** The same loop in two threads at once, on CPUs of their own. Its time is that of the slower one. */
final class SideBySide implements Timed, AutoCloseable {
    private final Loop loop;
    private final int operations;
    private final Semaphore go = new Semaphore(0);
    private final Semaphore done = new Semaphore(0);
    private final AtomicInteger ready = new AtomicInteger();
    private final Thread partner;
    private volatile boolean isClosed;
    private long partnerNanos; // published by done
    private long consumed;

    /** Starts the second thread, on the CPU {@code cpu}. */
    SideBySide(Loop loop, int operations, int cpu) {
        this.loop = loop;
        this.operations = operations;
        this.partner = new Thread(() -> assist(cpu), "side by side");
        partner.setDaemon(true); // should this end fail in its part of a round
        partner.start();
    }

    private void assist(int cpu) {
        Pinned.pin(cpu);
        go.acquireUninterruptibly();
        long sum = 0;
        while (!isClosed) {
            awaitBoth();
            long start = System.nanoTime();
            sum += loop.run(operations);
            partnerNanos = System.nanoTime() - start;
            done.release();
            go.acquireUninterruptibly();
        }
        consumed += sum;
    }

    /** Both begin within nanoseconds. */
    private void awaitBoth() {
        int mine = ready.incrementAndGet();
        int both = mine + (mine & 1);
        while (ready.get() < both) {
            Thread.onSpinWait();
        }
    }

    @Override
    public double chunkNanos() {
        go.release();
        awaitBoth();
        long start = System.nanoTime();
        consumed += loop.run(operations);
        long nanos = System.nanoTime() - start;
        done.acquireUninterruptibly();
        return (double) Math.max(nanos, partnerNanos) / operations;
    }

    @Override
    public void close() {
        isClosed = true;
        go.release();
        try {
            partner.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it ends by itself
        }
    }

    @Override
    public String toString() {
        return "two loops, " + consumed;
    }
}
