package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.WorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * The API handles of a request of a {@link WorkRequestList}, kept until it is checked at post. A check on a window announces
 * the request to the window's home, until {@link #end}.
 */
final class RequestHandles {
    @Nullable
    RemoteRange remote;

    @Nullable
    RemoteRange notify;

    @Nullable
    TargetJetty target;

    final @Nullable LocalSegment[] local;

    @Nullable
    Jfc jfc;

    @Nullable
    DeviceEvent after;

    int atomicSizeBytes;

    /** For a JFR, not for a send queue. */
    boolean receive;

    // on which the request is announced, during its post
    private @Nullable RemoteWindow remoteWindow;
    private @Nullable RemoteWindow notifyWindow;

    RequestHandles(int maxSges) {
        local = new LocalSegment[maxSges];
    }

    /** What is still to wait for. */
    @Nullable
    DeviceEvent checkedEvent(Jfs jfs, int index) {
        DeviceEvent event = after;
        if (event == null || !event.isDone()) {
            return event;
        }
        RuntimeException failure = event.failure();
        if (failure != null) {
            throw Checks.invalid(jfs, "request " + index + " follows a " + event);
        }
        return null;
    }

    ProviderImport forRead(Jfs jfs, UrmaContext context, WorkRequest request) {
        return switch (Checks.notNull(jfs, "source", remote)) {
            case RemoteSegment segment -> segment.checkedForRead(context, request.remoteOffset, request.lengthBytes);
            case RemoteWindow window ->
                begun(window, window.begin(context, request.remoteOffset, request.lengthBytes, Access.READ));
        };
    }

    ProviderImport forWrite(Jfs jfs, UrmaContext context, WorkRequest request) {
        return switch (Checks.notNull(jfs, "target", remote)) {
            case RemoteSegment segment -> segment.checkedForWrite(context, request.remoteOffset, request.lengthBytes);
            case RemoteWindow window ->
                begun(window, window.begin(context, request.remoteOffset, request.lengthBytes, Access.READ_WRITE));
        };
    }

    ProviderImport forAtomic(Jfs jfs, UrmaContext context, WorkRequest request) {
        return switch (Checks.notNull(jfs, "target", remote)) {
            case RemoteSegment segment -> segment.checkedForAtomic(context, request.remoteOffset, atomicSizeBytes);
            case RemoteWindow window ->
                begun(window, window.beginAtomic(context, request.remoteOffset, atomicSizeBytes));
        };
    }

    /** The place of the value of a WRITE_NOTIFY. */
    ProviderImport forNotify(RemoteRange place, UrmaContext context, WorkRequest request) {
        return switch (place) {
            case RemoteSegment segment -> segment.checkedForWrite(context, request.notifyOffset, Long.BYTES);
            case RemoteWindow window -> {
                ProviderImport begun = window.begin(context, request.notifyOffset, Long.BYTES, Access.READ_WRITE);
                notifyWindow = window;
                yield begun;
            }
        };
    }

    private ProviderImport begun(RemoteWindow window, ProviderImport begun) {
        remoteWindow = window;
        return begun;
    }

    /** The request was posted, or refused: the queue keeps its own announcement as long as necessary. */
    void end() {
        if (remoteWindow != null) {
            remoteWindow.end();
            remoteWindow = null;
        }
        if (notifyWindow != null) {
            notifyWindow.end();
            notifyWindow = null;
        }
    }
}
