package io.urma4j.socket.peering;

import io.urma4j.socket.ring.Carrier;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that posts what has found no room in a queue, once there is some, and reports failures to the connections of a queue. It
 * sleeps while there is nothing to do.
 *
 * <p>As the JVM ends, a hook waits for what the queues still carry. From then on each store waits, since no hook can know that it is
 * the last. Safe for any thread.
 */
final class LinkPump implements AutoCloseable {
    private static final long PAUSE_NANOS = 100_000;

    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Set<Link> congested = ConcurrentHashMap.newKeySet();
    private final Queue<Link> lost = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private final Thread hook = new Thread(this::flush, "urma-socket-flush");
    private volatile boolean isJvmEnding;
    private volatile boolean closed;

    LinkPump() {
        thread = Thread.ofPlatform().daemon().name("urma-socket-links").start(this::run);
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) { // it ends already
            isJvmEnding = true;
        }
    }

    /** A queue exists from now on. */
    void register(Link link) {
        links.add(link);
    }

    /** Something waits for room in this queue. */
    void add(Link link) {
        if (congested.add(link)) {
            LockSupport.unpark(thread);
        }
    }

    /** This queue has failed. */
    void lost(Link link) {
        lost.add(link);
        LockSupport.unpark(thread);
    }

    void remove(Link link) {
        links.remove(link);
        congested.remove(link);
    }

    /** Whether its hook has begun, so that each store has to wait. */
    boolean isJvmEnding() {
        return isJvmEnding;
    }

    private void flush() {
        isJvmEnding = true;
        long began = System.nanoTime();
        for (Link link : links) {
            while (!link.isIdle() && System.nanoTime() - began < Carrier.FLUSH_NANOS) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void run() {
        while (!closed) {
            for (Link link = lost.poll(); link != null; link = lost.poll()) {
                link.reportFailure();
            }
            for (Link link : List.copyOf(congested)) {
                congested.remove(link); // first, so that it can be added again
                if (link.advanceWaiting()) {
                    congested.add(link);
                }
            }
            if (congested.isEmpty() && lost.isEmpty()) {
                LockSupport.park();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // it runs, or has run
        }
    }

    @Override
    public String toString() {
        return congested.size() + " of " + links.size() + " queues are full";
    }
}
