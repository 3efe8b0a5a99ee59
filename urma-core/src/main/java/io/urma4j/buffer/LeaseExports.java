package io.urma4j.buffer;

import io.urma4j.RangeGrant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The ranges that one lease has granted to peers. They end with it. Safe for any thread; no call waits. */
final class LeaseExports {
    private final long generation;
    private final List<Export> open = new ArrayList<>(1);
    private final List<Revoked> ending = new ArrayList<>(0); // and not known to be quiet
    private boolean isEnded;

    /** @param keys what the peer has of it */
    private record Export(Object peer, List<?> keys, List<? extends RangeGrant> grants) {}

    private record Revoked(Object peer, List<?> keys, RangeGrant grant) {}

    /** @param generation of the lease */
    LeaseExports(long generation) {
        this.generation = generation;
    }

    long generation() {
        return generation;
    }

    /**
     * Adds what was granted.
     *
     * @param peer a {@link Peer}, or the Jetty of a RoCE peer
     * @param keys what the peer has of it, and of no other export
     * @return false if the lease has ended, and then the grants are the caller's to revoke
     */
    synchronized boolean add(Object peer, List<?> keys, List<? extends RangeGrant> grants) {
        if (isEnded) {
            return false;
        }
        open.add(new Export(peer, keys, grants));
        return true;
    }

    /** Revokes the ranges of an export; true if none of them is in use any more. */
    synchronized boolean takeBack(List<?> keys) {
        for (int i = open.size() - 1; i >= 0; i--) { // the latest is the likeliest
            if (open.get(i).keys.equals(keys)) {
                end(open.remove(i));
                break;
            }
        }
        ending.removeIf(revoked -> revoked.grant.isQuiet());
        return ending.isEmpty() || ending.stream().noneMatch(revoked -> revoked.keys.equals(keys));
    }

    private void end(Export export) {
        for (RangeGrant grant : export.grants) {
            if (!grant.takeBack()) {
                ending.add(new Revoked(export.peer, export.keys, grant));
            }
        }
    }

    /** Revokes all windows, and those that come later. Idempotent. */
    synchronized void takeBackAll() {
        isEnded = true;
        open.forEach(this::end);
        open.clear();
    }

    /** Whether all windows are revoked and no peer uses one any more. */
    synchronized boolean areQuiet() {
        ending.removeIf(revoked -> revoked.grant.isQuiet());
        return open.isEmpty() && ending.isEmpty();
    }

    /** Adds what each peer has of the lease. */
    synchronized void addPeers(Map<Object, PeerUse> uses) {
        Map<Object, PeerUse> ofLease = new LinkedHashMap<>();
        for (Export export : open) {
            ofLease.merge(export.peer, new PeerUse(1, export.grants.size(), 0), LeaseExports::ofOneLease);
        }
        for (Revoked revoked : ending) {
            ofLease.merge(revoked.peer, new PeerUse(1, 1, 1), LeaseExports::ofOneLease);
        }
        ofLease.forEach((peer, use) -> uses.merge(peer, use, PeerUse::plus));
    }

    private static PeerUse ofOneLease(PeerUse first, PeerUse second) {
        return new PeerUse(1, first.windows() + second.windows(), first.stillUsed() + second.stillUsed());
    }
}
