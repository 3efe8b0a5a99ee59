package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The allocations that {@link PeerMemory} made of one client: only their free can be guarded, so only they are shared with peers.
 * Safe for any thread.
 */
final class GuardedAllocations {
    private final String client;
    private final Optional<PeerSharing> sharing;
    private final Executor frees;
    private final Map<DeviceIdentity, Guarded> all = new HashMap<>(); // guarded by this
    private final List<PeerShare> quarantined = new ArrayList<>(); // freed, and still lent; guarded by this

    /** An allocation that was not freed. */
    private static final class Guarded {
        final DeviceRange range;

        @Nullable
        PeerShare share; // of all its registrations

        Guarded(DeviceRange range) {
            this.range = range;
        }
    }

    /** @param frees runs frees that had to wait */
    GuardedAllocations(String client, Optional<PeerSharing> sharing, Executor frees) {
        this.client = client;
        this.sharing = sharing;
        this.frees = frees;
    }

    synchronized void allocated(DeviceIdentity identity, DeviceRange range) {
        if (sharing.isPresent()) {
            all.put(identity, new Guarded(range));
        }
    }

    /** See {@link PeerShare#of}. */
    Optional<PeerShare> share(DeviceIdentity identity, DeviceRange range) {
        synchronized (this) {
            Guarded known = all.get(identity);
            if (known == null || !known.range.equals(range)) {
                return Optional.empty();
            }
            if (known.share != null) {
                return Optional.of(known.share);
            }
        }
        PeerSharing.Shared made =
                PeerShare.checked(this, sharing.orElseThrow().share(range.ordinal(), range.address()));
        PeerShare share = new PeerShare(client, range, made, frees);
        PeerShare first = recorded(identity, share);
        if (!share.equals(first)) {
            made.close(); // another registration came first, or a free
        }
        if (first == null) {
            throw Checks.invalid(this, "memory " + range + " was freed while it was shared");
        }
        return Optional.of(first);
    }

    /** The share of the allocation: the new one, unless there was one already; null if it was freed meanwhile. */
    private synchronized @Nullable PeerShare recorded(DeviceIdentity identity, PeerShare share) {
        Guarded known = all.get(identity);
        if (known == null) {
            return null;
        }
        if (known.share == null) {
            known.share = share;
        }
        return known.share;
    }

    /** Frees an allocation: at once, or once no peer has it open any more. One whose free is refused with EAGAIN is kept. */
    void free(DeviceIdentity identity, Runnable free) {
        Guarded known;
        synchronized (this) {
            known = all.remove(identity);
            if (known != null && known.share != null) {
                quarantined.add(known.share);
            }
        }
        try {
            free(known == null ? null : known.share, free);
        } catch (UrmaException e) {
            if (known != null && e.status() == UrmaStatus.EAGAIN) {
                allocated(identity, known.range); // the handle of its share has ended
            }
            throw e;
        }
    }

    private void free(@Nullable PeerShare share, Runnable free) {
        if (share == null) {
            free.run();
            return;
        }
        share.free(() -> {
            try {
                free.run();
            } finally {
                ended(share);
            }
        });
    }

    private synchronized void ended(PeerShare share) {
        quarantined.remove(share);
    }

    /** Opens memory of another process. */
    PeerSharing.Opened open(byte[] handle, long lengthBytes) {
        if (handle.length < 1 || handle.length > PeerSharing.MAX_HANDLE_BYTES) {
            throw Checks.invalid(
                    this, "a handle of " + handle.length + " bytes, must have 1…" + PeerSharing.MAX_HANDLE_BYTES);
        }
        PeerSharing opener = sharing.orElseThrow(() -> Checks.invalid(this, "opens no memory of other processes"));
        Checks.inRange(this, "length of opened memory", lengthBytes, 1, Long.MAX_VALUE);
        return opener.open(handle, lengthBytes);
    }

    /** Whether it can share. */
    boolean isSharing() {
        return sharing.isPresent();
    }

    /** What peers have open, and whose free has not ended: the client must not end under it. */
    synchronized List<PeerShare> lent() {
        List<PeerShare> open = new ArrayList<>(quarantined);
        for (Guarded one : all.values()) {
            if (one.share != null && one.share.isLent()) {
                open.add(one.share);
            }
        }
        return open;
    }

    /** Bytes that were freed here, and that a peer still has open. */
    synchronized long quarantinedBytes() {
        return quarantined.stream().mapToLong(PeerShare::lengthBytes).sum();
    }

    @Override
    public String toString() {
        return "peer memory client " + client;
    }
}
