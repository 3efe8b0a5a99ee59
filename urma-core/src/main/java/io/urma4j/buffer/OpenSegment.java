package io.urma4j.buffer;

import io.urma4j.RemoteSegment;
import io.urma4j.SegmentDescriptor;

/** A segment of a home that is imported here. Its mutable state is guarded by the lock of its {@link OpenHomes}. */
final class OpenSegment {
    final SegmentDescriptor descriptor;
    final RemoteSegment remote;
    final TransferQueue queue; // to its home

    int users; // windows in use, and those that are being opened
    int windows; // open ones, also those that are dropped and still in use
    boolean dropped; // no longer found; to be closed with its last window
    boolean isEnded; // is being closed
    long usedAt; // counts uses

    OpenSegment(SegmentDescriptor descriptor, RemoteSegment remote, TransferQueue queue) {
        this.descriptor = descriptor;
        this.remote = remote;
        this.queue = queue;
    }

    /** Whether requests on it can succeed. */
    boolean isUsable() {
        return !remote.isRevoked() && !queue.isClosed();
    }

    @Override
    public String toString() {
        return remote + " with " + windows + " windows";
    }
}
