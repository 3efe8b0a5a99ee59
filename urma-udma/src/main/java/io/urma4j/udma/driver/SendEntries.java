package io.urma4j.udma.driver;

import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * What the driver remembers of the work requests of a send queue, by position, until their records are polled; and what
 * they hold, which cannot be closed while they are unfinished.
 *
 * <p>A slot is filled by the thread that posts. Others let go of what it holds, in order, under the lock.
 */
final class SendEntries {
    private final int mask;
    private final int maxSges;
    private final long[] userContexts;
    private final @Nullable UdmaSegment[] segments; // maxSges of each
    private final @Nullable UdmaImport[] imports; // two of each
    private final @Nullable UdmaTarget[] targets;
    private final SpinLock lock = new SpinLock();

    private long held; // the first that may hold something; guarded by the lock

    SendEntries(int depth, int maxSges) {
        this.mask = depth - 1;
        this.maxSges = maxSges;
        this.userContexts = new long[depth];
        this.segments = new UdmaSegment[depth * maxSges];
        this.imports = new UdmaImport[2 * depth];
        this.targets = new UdmaTarget[depth];
    }

    long userContext(long position) {
        return userContexts[(int) position & mask];
    }

    // ---- filling, before the work request is published

    void begin(long position, long userContext) {
        userContexts[(int) position & mask] = userContext;
    }

    void hold(long position, @Nullable UdmaImport remote, @Nullable UdmaImport notify, @Nullable UdmaTarget target) {
        int index = (int) position & mask;
        if (remote != null) {
            remote.pin();
        }
        if (notify != null) {
            notify.pin();
        }
        if (target != null) {
            target.pin();
        }
        imports[2 * index] = remote;
        imports[2 * index + 1] = notify;
        targets[index] = target;
    }

    void hold(long position, UdmaSegment local) {
        local.pin();
        segments[((int) position & mask) * maxSges] = local;
    }

    void hold(long position, WorkRequest request) {
        int first = ((int) position & mask) * maxSges;
        for (int i = 0; i < request.sgeCount; i++) {
            UdmaSegment local = (UdmaSegment) request.sgeSegment[i];
            assert local != null : "checked by the API";
            local.pin();
            segments[first + i] = local;
        }
    }

    // ---- letting go

    /** The peer refused the work request at that position; before it is let go of. */
    void refused(long position) {
        UdmaImport remote = imports[2 * ((int) position & mask)];
        if (remote != null) {
            remote.refused();
        }
    }

    /** Every work request before {@code end} has ended. */
    void letGo(long end) {
        lock.acquire();
        for (; held < end; held++) {
            letGoOf((int) held & mask);
        }
        lock.release();
    }

    private void letGoOf(int index) {
        int end = (index + 1) * maxSges;
        for (int i = index * maxSges; i < end; i++) {
            UdmaSegment segment = segments[i];
            if (segment == null) {
                break;
            }
            segment.unpin();
            segments[i] = null;
        }
        UdmaImport remote = imports[2 * index];
        if (remote != null) {
            remote.unpin();
            imports[2 * index] = null;
        }
        UdmaImport notify = imports[2 * index + 1];
        if (notify != null) {
            notify.unpin();
            imports[2 * index + 1] = null;
        }
        UdmaTarget target = targets[index];
        if (target != null) {
            target.unpin();
            targets[index] = null;
        }
    }
}
