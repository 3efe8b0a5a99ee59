package io.urma4j.peer;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A client's place in the registry. Safe for any thread. */
public final class PeerClientRegistration {
    /** Threads that revoke at once, for each device: if the copies of that many registrations hang, its others wait. */
    static final int MAX_REVOKING = 16;

    private final PeerMemoryRegistry registry;
    private final ClientEntry entry;

    PeerClientRegistration(PeerMemoryRegistry registry, ClientEntry entry) {
        this.registry = registry;
        this.entry = entry;
    }

    /**
     * Removes the client: it is asked no more. The result completes once its last registration has been released and the client
     * is closed; then no call of it is in progress. Idempotent.
     */
    public CompletableFuture<Void> unregister() {
        registry.remove(entry);
        return entry.unregister();
    }

    /** Like {@link #unregister}, and revokes the registrations first; their owners still have to close them. */
    public CompletableFuture<Void> unregisterByForce() {
        CompletableFuture<Void> result = unregister();
        entry.regions().forEach(region -> region.revoke(InvalidationReason.CLIENT_GONE));
        return result;
    }

    /** Like {@link #unregisterByForce} without waiting, on {@value #MAX_REVOKING} threads of each device at most. */
    CompletableFuture<Void> beginUnregisterByForce() {
        CompletableFuture<Void> result = unregister();
        entry.regions().stream()
                .collect(Collectors.groupingBy(region -> region.range().ordinal()))
                .values()
                .forEach(this::beginRevoking);
        return result;
    }

    private void beginRevoking(List<PeerRegion> ofOneDevice) {
        Queue<PeerRegion> left = new ConcurrentLinkedQueue<>(ofOneDevice);
        for (int worker = Math.min(ofOneDevice.size(), MAX_REVOKING); worker > 0; worker--) {
            entry.execute("revoke", () -> revokeAll(left));
        }
    }

    private void revokeAll(Queue<PeerRegion> left) {
        for (PeerRegion region = left.poll(); region != null; region = left.poll()) {
            PeerRegion next = region;
            entry.guard("revoke", () -> next.revoke(InvalidationReason.CLIENT_GONE));
        }
    }

    /** The registrations that {@link #unregister} waits for, and the memory that peers have open. */
    public List<String> holders() {
        return Stream.concat(entry.regions().stream(), entry.guarded().lent().stream())
                .map(Object::toString)
                .toList();
    }

    public PeerCounters counters() {
        return entry.stats().read();
    }

    @Override
    public String toString() {
        return entry.toString();
    }
}
