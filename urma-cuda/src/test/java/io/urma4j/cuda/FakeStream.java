package io.urma4j.cuda;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A stream of {@link FakeCudaDriver}: a thread that performs its operations in order, each after a delay. */
final class FakeStream {
    private final FakeCudaDriver driver;
    private final int ordinal;
    private final BlockingQueue<Runnable> operations = new LinkedBlockingQueue<>();
    private final AtomicInteger left = new AtomicInteger(); // operations that have not ended
    private final Thread thread;
    private volatile boolean destroyed;

    FakeStream(FakeCudaDriver driver, int ordinal) {
        this.driver = driver;
        this.ordinal = ordinal;
        this.thread = Thread.ofPlatform().daemon().name("fake-stream").start(this::run);
    }

    int ordinal() {
        return ordinal;
    }

    void add(Runnable operation) {
        left.incrementAndGet();
        operations.add(operation);
    }

    boolean isDone() {
        return left.get() == 0;
    }

    private void run() {
        while (!destroyed) {
            Runnable operation;
            try {
                operation = operations.take();
            } catch (InterruptedException e) {
                return;
            }
            long due = System.nanoTime() + driver.delayNanos();
            while (driver.isHeld() || System.nanoTime() - due < 0) {
                LockSupport.parkNanos(20_000);
            }
            if (driver.stickyCode(ordinal) == 0) {
                operation.run();
            }
            left.decrementAndGet();
        }
    }

    /** Ends the thread; whatever waits is dropped. */
    void destroy() {
        destroyed = true;
        thread.interrupt();
    }
}
