package io.urma4j.udma.driver;

import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.WorkRequest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The driver's state of receive work requests until their records are polled, which is longer than they occupy the ring.
 * Entries are found by the cookies that the card carries. Guarded by the queue's lock.
 */
final class ReceiveEntries {
    private static final int NONE = -1;

    private final int maxSges;
    private long[] userContexts;
    private @Nullable UdmaSegment[] segments; // maxSges of each
    private int[] nextFree;
    private int firstFree;

    ReceiveEntries(int depth, int maxSges) {
        this.maxSges = maxSges;
        this.userContexts = new long[depth];
        this.segments = new UdmaSegment[depth * maxSges];
        this.nextFree = new int[depth];
        chain(0);
    }

    private void chain(int from) {
        for (int i = from; i < nextFree.length; i++) {
            nextFree[i] = i + 1 < nextFree.length ? i + 1 : NONE;
        }
        firstFree = from;
    }

    /** Takes an entry; there are always enough. */
    int take(long userContext) {
        if (firstFree == NONE) {
            int count = nextFree.length;
            userContexts = Arrays.copyOf(userContexts, 2 * count);
            segments = Arrays.copyOf(segments, 2 * count * maxSges);
            nextFree = Arrays.copyOf(nextFree, 2 * count);
            chain(count);
        }
        int entry = firstFree;
        firstFree = nextFree[entry];
        userContexts[entry] = userContext;
        return entry;
    }

    void pin(int entry, ProviderSegment buffer) {
        pin(entry, 0, (UdmaSegment) buffer);
    }

    void pin(int entry, WorkRequest request) {
        for (int i = 0; i < request.sgeCount; i++) {
            UdmaSegment segment = (UdmaSegment) request.sgeSegment[i];
            assert segment != null : "checked by the API";
            pin(entry, i, segment);
        }
    }

    private void pin(int entry, int index, UdmaSegment segment) {
        segment.pin();
        segments[entry * maxSges + index] = segment;
    }

    /** Returns its buffers to the application. */
    void unpin(int entry) {
        int end = (entry + 1) * maxSges;
        for (int i = entry * maxSges; i < end; i++) {
            UdmaSegment segment = segments[i];
            if (segment == null) {
                return;
            }
            segment.unpin();
            segments[i] = null;
        }
    }

    /** Releases the entry; returns its user context. */
    long give(int entry) {
        unpin(entry);
        nextFree[entry] = firstFree;
        firstFree = entry;
        return userContexts[entry];
    }

    void unpinAll() {
        for (int entry = 0; entry < nextFree.length; entry++) {
            unpin(entry);
        }
    }
}
