package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ResultExecutors;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Closes a region on a thread of its own, because the calls of its client may take seconds. After a timeout the thread goes on: so
 * pages stay pinned no longer than their device, or its client, hangs.
 */
public final class RegionEnd {
    private static final System.Logger LOG = System.getLogger(RegionEnd.class.getName());
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final long LONGEST_WAIT_NANOS = 60_000_000_000L;

    private final PeerRegion region;
    private final CompletableFuture<Void> first = new CompletableFuture<>(); // attempt

    private RegionEnd(PeerRegion region) {
        this.region = region;
    }

    /**
     * Begins to close it. Returns at once.
     *
     * @return completes with the first attempt, and fails as {@link PeerRegion#close} does
     */
    public static CompletableFuture<Void> of(PeerRegion region) {
        RegionEnd end = new RegionEnd(region);
        ResultExecutors.VIRTUAL_THREADS.execute(end::run);
        return end.first;
    }

    /**
     * Goes on with a close that gave up waiting for copies, or waits for one that another thread performs: a client may refuse to free
     * memory whose pages are pinned. The copies have ended.
     */
    static void finish(PeerRegion region) {
        try {
            if (region.life.state() == RegionState.STOPPING) {
                region.close();
            }
            region.life.awaitReleased(region.client.callTimeout().toNanos());
        } catch (UrmaException e) {
            LOG.log(Level.WARNING, "{0} stays pinned: {1}", region, e);
        }
    }

    private void run() {
        try {
            while (!isOver()) {
                Thread.sleep(PAUSE);
                region.copies.isQuietWithin(LONGEST_WAIT_NANOS); // else they are aborted once more
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e); // no other code has this thread
        }
    }

    /** One attempt. Returns whether another one is of no use. */
    private boolean isOver() {
        try {
            region.close();
            first.complete(null);
            return true;
        } catch (UrmaException e) {
            first.completeExceptionally(e);
            return e.status() != UrmaStatus.ETIMEOUT;
        } catch (RuntimeException | Error e) {
            first.completeExceptionally(e);
            return true;
        }
    }

    @Override
    public String toString() {
        return "end of " + region;
    }
}
