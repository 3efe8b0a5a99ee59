package io.urma4j.internal;

import io.urma4j.BatchCloseException;
import io.urma4j.CompletionStatus;
import io.urma4j.DeviceAttributes;
import io.urma4j.HomeGoneException;
import io.urma4j.Jfc;
import io.urma4j.Jfce;
import io.urma4j.Jfr;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.OperationFailedException;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteRange;
import io.urma4j.RemoteSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.WindowKey;
import io.urma4j.internal.inspect.PerfMeter;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the internal packages may do with objects of the API and users may not. It is their only door, like the JDK's
 * {@code SharedSecrets}: the API implements it in its own package, so that nothing there becomes public for their sake.
 *
 * <p>Safe for any thread. {@link #api} costs nothing once it is compiled: the field is a constant.
 */
public abstract class ApiAccess {
    private static volatile @Nullable ApiAccess given; // once, by the initializer of Urma

    protected ApiAccess() {}

    /** The API's implementation. */
    public static ApiAccess api() {
        return Holder.API;
    }

    /** By the API, while it is initialized. */
    public static void give(ApiAccess access) {
        given = access;
    }

    /** A class of its own, so that it is initialized at the first use and not before the API. */
    private static final class Holder {
        static final ApiAccess API = find();

        private static ApiAccess find() {
            try {
                MethodHandles.lookup().ensureInitialized(Urma.class);
            } catch (IllegalAccessException e) {
                throw new ExceptionInInitializerError(e);
            }
            return Checks.notNull("the API", "access", given);
        }
    }

    // ---- inspection

    /** The provider's object behind a child of a context; null when it has none that raises events. */
    public abstract @Nullable Object providerOf(AutoCloseable child);

    /** Has a child of a context measured by {@code run}, or no longer where that is null. */
    public abstract void measure(AutoCloseable child, PerfMeter.@Nullable Run run);

    /** Where the records of a send queue go. */
    public abstract Jfc jfcOf(Jfs jfs);

    /** Where the records of a receive queue go. */
    public abstract Jfc jfcOf(Jfr jfr);

    /** Where the bytes of a segment are: an address of this process, or a device and an address there. */
    public abstract String placeOf(LocalSegment segment);

    // ---- owners

    /** Closes {@code child} with the context, before all that it may use; refuses if that is closed. */
    public abstract void adopt(UrmaContext context, AutoCloseable child);

    /** Ends {@link #adopt}: the child is closed. */
    public abstract void disown(UrmaContext context, AutoCloseable child);

    /** How long a child may take to close: the rest of the close timeout if the whole context is being closed. */
    public abstract Duration closeBudget(UrmaContext context);

    // ---- memory and pipes

    /** Of the device as they were when the context was opened. */
    public abstract DeviceAttributes attributesOf(UrmaContext context);

    /** Whether {@link RemoteSegment#map} gives its memory to this process. */
    public abstract boolean isMappable(RemoteSegment segment);

    /** Refuses where an open import does not allow writes, or is closed. The range is the caller's to check. */
    public abstract void checkWritable(RemoteSegment segment);

    /** Refuses where an open import does not allow reads, or is closed. The range is the caller's to check. */
    public abstract void checkReadable(RemoteSegment segment);

    /** The same for an atomic, whose offset must be a multiple of its size. */
    public abstract void checkAtomic(RemoteSegment segment, long offset, int sizeBytes);

    /** Reads a word, as the memory does; ends with ETIMEOUT when it would take longer. It makes no object. */
    public abstract long readLong(RemoteMemory memory, long offset, long timeoutNanos);

    /**
     * Has {@code onNotify} run after each value that a peer's WRITE_NOTIFY stores there, on any thread.
     *
     * @return false where peers store to the memory by themselves, and nothing here sees it
     */
    public abstract boolean watch(LocalSegment segment, Runnable onNotify);

    /** Makes an event of {@code jfc}, as a record there would. */
    public abstract void raise(Jfce jfce, Jfc jfc);

    // ---- failures

    /** Element {@code index} of a batch refused to close. */
    public abstract BatchCloseException batchFailed(int index, int size, UrmaException cause);

    /** Whether {@link RemoteSegment#importWindow} does not block for that key. */
    public abstract boolean opensAtOnce(RemoteSegment segment, WindowKey key);

    /** The home is gone; noticed before anything was done. */
    public abstract HomeGoneException homeGone(Object owner, String reason);

    /** An operation did not succeed. */
    public abstract OperationFailedException failed(Object owner, String operation, CompletionStatus status);

    /** The same for an operation on imported memory, whose home may be the reason. */
    public abstract OperationFailedException failed(
            Object owner, String operation, CompletionStatus status, RemoteRange on);
}
