package io.urma4j.cuda;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that any thread adds and one thread takes, oldest first. The links lie in the tasks, so that adding allocates
 * nothing. What a thread wrote before it added a task is visible to the thread that takes it. Lock-free.
 */
final class TaskQueue {
    private static final Task CLOSED = new Task() {
        @Override
        void run() {}

        @Override
        void refuse() {}
    };

    private final AtomicReference<@Nullable Task> newest = new AtomicReference<>();

    /** Adds a task; returns false if the queue is closed. */
    boolean add(Task task) {
        Task before;
        do {
            before = newest.get();
            if (CLOSED.equals(before)) {
                return false;
            }
            task.next = before;
        } while (!newest.compareAndSet(before, task));
        return true;
    }

    boolean isEmpty() {
        return newest.get() == null;
    }

    /** Takes all tasks: the oldest, which leads to the others. Of one thread, and not after {@link #close}. */
    @Nullable
    Task takeAll() {
        return isEmpty() ? null : oldestFirst(newest.getAndSet(null));
    }

    /** Takes all tasks, and refuses later ones. Called once. */
    @Nullable
    Task close() {
        return oldestFirst(newest.getAndSet(CLOSED));
    }

    private static @Nullable Task oldestFirst(@Nullable Task task) {
        Task first = null;
        Task rest = task;
        while (rest != null) {
            Task older = rest.next;
            rest.next = first;
            first = rest;
            rest = older;
        }
        return first;
    }
}
