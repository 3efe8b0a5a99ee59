package io.urma4j.internal;

import java.util.concurrent.Executor;

/**
 * On which thread a result reaches who asked for it. Providers complete theirs on threads of their own, which must not
 * be held up.
 */
public final class ResultExecutors {
    /** For a thread that blocks until the result is there: nothing else happens on the provider's thread. */
    public static final Executor AT_ONCE = Runnable::run;

    /**
     * For what callers hang on a future, and for long work of ours: a virtual thread each, which may block. Not the common
     * pool: it may have no thread free, and is not ours to fill.
     */
    public static final Executor VIRTUAL_THREADS = task -> {
        Thread _ = Thread.startVirtualThread(task);
    };

    private ResultExecutors() {}
}
