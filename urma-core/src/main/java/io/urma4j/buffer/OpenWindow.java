package io.urma4j.buffer;

import io.urma4j.RemoteWindow;
import org.jspecify.annotations.Nullable;

/** A window of a home that is open here. Its mutable state is guarded by the lock of its {@link OpenHomes}. */
final class OpenWindow {
    final RemoteBuf.Window key;
    final OpenSegment segment;
    final RemoteWindow remote;

    int users; // requests that are going to be posted, or are unfinished
    boolean dropped; // no longer found; to be closed with its last user

    @Nullable
    OpenWindow older;

    @Nullable
    OpenWindow newer;

    OpenWindow(RemoteBuf.Window key, OpenSegment segment, RemoteWindow remote) {
        this.key = key;
        this.segment = segment;
        this.remote = remote;
    }

    @Override
    public String toString() {
        return remote + ", used " + users + " times";
    }
}
