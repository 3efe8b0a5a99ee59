package io.urma4j.socket.peering;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A thread that posts what has found no room in a queue, once there is some. It sleeps while nothing waits. Safe for any thread. */
final class LinkPump implements AutoCloseable {
    private static final long PAUSE_NANOS = 100_000;

    private final Set<Link> congested = ConcurrentHashMap.newKeySet();
    private final Thread thread;
    private volatile boolean closed;

    LinkPump() {
        thread = Thread.ofPlatform().daemon().name("urma-socket-links").start(this::run);
    }

    /** Something waits for room in this queue. */
    void add(Link link) {
        if (congested.add(link)) {
            LockSupport.unpark(thread);
        }
    }

    void remove(Link link) {
        congested.remove(link);
    }

    private void run() {
        while (!closed) {
            for (Link link : List.copyOf(congested)) {
                congested.remove(link); // first, so that it can be added again
                if (link.advanceWaiting()) {
                    congested.add(link);
                }
            }
            if (congested.isEmpty()) {
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
    }

    @Override
    public String toString() {
        return congested.size() + " queues are full";
    }
}
