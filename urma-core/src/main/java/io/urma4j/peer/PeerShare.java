package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An allocation that peers on this host may open. A provider lends it to each peer, and gets it back once the peer no longer has it
 * open, or is proven gone. Until then a free of the allocation waits: its bytes belong to no other allocation. Safe for any thread.
 */
public final class PeerShare {
    private final String client;
    private final DeviceRange range;
    private final PeerSharing.Shared shared;
    private final Executor frees; // a free may block, and the thread that gives back must not
    private int lent; // guarded by this, with all below
    private boolean freed;
    private @Nullable Runnable waiting; // the free

    PeerShare(String client, DeviceRange range, PeerSharing.Shared shared, Executor frees) {
        this.client = client;
        this.range = range;
        this.shared = shared;
        this.frees = frees;
    }

    /**
     * Shares the memory of a region. Blocks as long as its client takes.
     *
     * @return empty if its client shares no memory, or the region is not a whole allocation of {@link PeerMemory#allocate}
     * @throws UrmaException if the client fails
     */
    public static Optional<PeerShare> of(PeerRegion region) {
        return region.client.guarded().share(region.identity(), region.range());
    }

    /** The name of its client. */
    public String client() {
        return client;
    }

    long lengthBytes() {
        return range.lengthBytes();
    }

    /** For the peers to which it is lent. */
    public byte[] handle() {
        return shared.handle().clone();
    }

    /** A peer may open it from now on; false once it was freed. Each success is followed by one {@link #giveBack}. */
    public synchronized boolean lend() {
        if (freed) {
            return false;
        }
        lent++;
        return true;
    }

    /** A peer no longer has it open, and will not open it. The last one lets a free that waits go on, and an end of the client. */
    public void giveBack() {
        Runnable due;
        synchronized (this) {
            if (lent == 0) {
                throw new IllegalStateException(this + " was given back more often than it was lent");
            }
            lent--;
            if (lent > 0) {
                return;
            }
            due = waiting == null ? () -> {} : waiting;
        }
        frees.execute(due);
    }

    /** Frees the allocation: at once, or after the last peer has given it back. */
    void free(Runnable free) {
        Runnable all = () -> {
            shared.close();
            free.run();
        };
        synchronized (this) {
            freed = true;
            if (lent > 0) {
                waiting = all;
                return;
            }
        }
        all.run();
    }

    synchronized boolean isLent() {
        return lent > 0;
    }

    /** Refuses a handle that cannot travel. */
    static PeerSharing.Shared checked(Object client, PeerSharing.Shared shared) {
        int length = shared.handle().length;
        if (length < 1 || length > PeerSharing.MAX_HANDLE_BYTES) {
            shared.close();
            throw new UrmaException(
                    UrmaStatus.FAIL,
                    client,
                    "made a handle of " + length + " bytes, must have 1…" + PeerSharing.MAX_HANDLE_BYTES);
        }
        return shared;
    }

    @Override
    public synchronized String toString() {
        return "shared memory " + range + " of client " + client + (freed ? ", freed" : "") + ", lent " + lent
                + " times";
    }
}
