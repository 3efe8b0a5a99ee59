package io.urma4j.cuda;

import org.jspecify.annotations.Nullable;

/** What a thread of a device does next; in one {@link TaskQueue} at a time. */
abstract class Task {
    /** The task that was added before; of the queue. */
    @Nullable
    Task next;

    /** Called on the queue's thread, which has removed the task: it may be added again. */
    abstract void run();

    /** Called in place of {@link #run} if the queue is closed. */
    abstract void refuse();
}
