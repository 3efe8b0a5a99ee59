package io.urma4j.buffer;

import io.urma4j.internal.ResultExecutors;
import java.util.concurrent.Executor;

/**
 * How a buffer is acquired.
 *
 * @param isControl may use the pool's reserve, and so overtake requests that wait for ordinary memory
 * @param executor completes the future of {@link RegisteredBufferPool#acquireAsync}
 */
public record AcquireOptions(boolean isControl, Executor executor) {
    /** Ordinary memory; futures are completed on virtual threads. */
    public static final AcquireOptions DEFAULT = new AcquireOptions(false, ResultExecutors.VIRTUAL_THREADS);

    private static final AcquireOptions CONTROL = DEFAULT.withControl();

    /** For traffic that must get through while the pool is full: it may use the reserve (S14.12). */
    public static AcquireOptions control() {
        return CONTROL;
    }

    public AcquireOptions withControl() {
        return new AcquireOptions(true, executor);
    }

    public AcquireOptions withExecutor(Executor completing) {
        return new AcquireOptions(isControl, completing);
    }
}
