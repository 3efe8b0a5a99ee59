package io.urma4j.libc;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Closes descriptors that other processes have sent, on threads of its own.
 *
 * <p>The last {@code close} of a file may wait: a socket lingers for its unsent data, a file system in user space answers
 * when it likes. So no thread that serves others closes such a descriptor. The threads start with the first descriptor
 * and end when there is nothing to close. Before it closes a socket, it turns lingering off. What waits all the same
 * keeps one thread; {@link #isBehind} tells when a sender keeps all of them, and then the owner receives no more. Safe for
 * any thread.
 */
public final class DescriptorCloser implements AutoCloseable {
    /** More than this many descriptors wait only until {@link #isBehind} stops the owner from receiving more. */
    public static final int MAX_WAITING = 512;

    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 1;

    private final ThreadPoolExecutor threads;

    /** @param name of its threads */
    public DescriptorCloser(String name) {
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name(name).factory(),
                (task, executor) -> task.run()); // closed: there is no engine left to hold up
        threads.allowCoreThreadTimeOut(true);
    }

    /** Closes a number that no {@link Fd} owns any more. Returns at once. */
    void closeLater(int number) {
        threads.execute(() -> {
            SocketCalls.endLingering(number);
            Fd.close(number);
        });
    }

    /** Whether too many descriptors wait to be closed, so that no more should be received. */
    public boolean isBehind() {
        return threads.getQueue().size() >= MAX_WAITING;
    }

    /** What waits is still closed, as soon as it can be. Returns at once. Idempotent. */
    @Override
    public void close() {
        threads.shutdown();
    }

    @Override
    public String toString() {
        return threads.getQueue().size() + " descriptors wait to be closed";
    }
}
