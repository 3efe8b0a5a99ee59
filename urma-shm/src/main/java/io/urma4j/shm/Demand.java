package io.urma4j.shm;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What a context's polling threads and its engine must see to. For any thread. */
final class Demand {
    /** How many send queues have something to start, or owe a record. */
    final AtomicInteger waitingQueues = new AtomicInteger();

    /** How many JFCs are armed: threads wait for their events. */
    final AtomicInteger armedJfcs = new AtomicInteger();

    private final ConcurrentLinkedQueue<Runnable> later = new ConcurrentLinkedQueue<>();
    private final Runnable wakeEngine;

    Demand(Runnable wakeEngine) {
        this.wakeEngine = wakeEngine;
    }

    void wakeEngine() {
        wakeEngine.run();
    }

    /** Makes the engine do something soon: for callers that must not wait for a lock. */
    void later(Runnable task) {
        later.add(task);
        wakeEngine();
    }

    /** The engine: does what callers have left to it. */
    void runTasks() {
        for (Runnable task = later.poll(); task != null; task = later.poll()) {
            task.run();
        }
    }
}
