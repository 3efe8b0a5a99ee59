package io.urma4j;

import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.ClosingRank;
import io.urma4j.internal.inspect.PerfMeter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Opens to the internal packages what this package keeps from users. */
final class InternalAccess extends ApiAccess {
    @Override
    public @Nullable Object providerOf(AutoCloseable child) {
        return switch (child) {
            case Jfc jfc -> jfc.provider();
            case Jfs jfs -> jfs.provider();
            case Jfr jfr -> jfr.provider();
            case Jetty jetty -> jetty.jfs().provider();
            case JettyGroup group -> group.provider();
            case LocalSegment segment -> segment.provider();
            case RemoteSegment segment -> segment.provider();
            default -> null;
        };
    }

    @Override
    public void measure(AutoCloseable child, PerfMeter.@Nullable Run run) {
        switch (child) {
            case Jfs jfs -> jfs.measure(run);
            case Jetty jetty -> jetty.jfs().measure(run);
            case Jfc jfc -> jfc.measure(run);
            default -> {}
        }
    }

    @Override
    public Jfc jfcOf(Jfs jfs) {
        return jfs.jfc();
    }

    @Override
    public Jfc jfcOf(Jfr jfr) {
        return jfr.jfc();
    }

    @Override
    public String placeOf(LocalSegment segment) {
        return segment.place();
    }

    @Override
    public void adopt(UrmaContext context, AutoCloseable child) {
        context.children().add(child, ClosingRank.COMFORT);
    }

    @Override
    public void disown(UrmaContext context, AutoCloseable child) {
        context.children().remove(child);
    }

    @Override
    public Duration closeBudget(UrmaContext context) {
        return context.life().budget();
    }

    @Override
    public DeviceAttributes attributesOf(UrmaContext context) {
        return context.attributes();
    }

    @Override
    public boolean isMappable(RemoteSegment segment) {
        return segment.isMappable();
    }

    @Override
    public void checkWritable(RemoteSegment segment) {
        segment.checkWritable();
    }

    @Override
    public void checkReadable(RemoteSegment segment) {
        segment.checkReadable();
    }

    @Override
    public void checkAtomic(RemoteSegment segment, long offset, int sizeBytes) {
        segment.checkAtomic(offset, sizeBytes);
    }

    @Override
    public long readLong(RemoteMemory memory, long offset, long timeoutNanos) {
        return memory.readLong(offset, timeoutNanos);
    }

    @Override
    public boolean watch(LocalSegment segment, Runnable onNotify) {
        return segment.watch(onNotify);
    }

    @Override
    public void raise(Jfce jfce, Jfc jfc) {
        jfce.raise(jfc);
    }

    @Override
    public BatchCloseException batchFailed(int index, int size, UrmaException cause) {
        return new BatchCloseException(index, size, cause);
    }

    @Override
    public boolean opensAtOnce(RemoteSegment segment, WindowKey key) {
        return segment.opensAtOnce(key);
    }

    @Override
    public HomeGoneException homeGone(Object owner, String reason) {
        return new HomeGoneException(owner, reason);
    }

    @Override
    public OperationFailedException failed(Object owner, String operation, CompletionStatus status) {
        return new OperationFailedException(owner, operation, status);
    }

    @Override
    public OperationFailedException failed(Object owner, String operation, CompletionStatus status, RemoteRange on) {
        // it was checked before it started: if the home refuses it, or is known to be gone, the home is the cause
        boolean isGone = status == CompletionStatus.REM_ACCESS_ABORT_ERR
                || switch (on) {
                    case RemoteSegment segment -> segment.isRevoked();
                    case RemoteWindow window -> window.isTakenBack();
                };
        return isGone
                ? new HomeGoneException(owner, operation, status, HomeGoneException.GONE)
                : new OperationFailedException(owner, operation, status);
    }
}
