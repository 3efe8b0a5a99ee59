package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ProviderSegment;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A registered region of this context. Safe for any thread. */
public final class ShmSegment implements ProviderSegment {
    /** The bytes; access throws {@code IllegalStateException} once whoever owns them has freed them. */
    public final MemorySegment memory;

    private final Exports exports;
    private final @Nullable ShmMemory shared;
    private final SegmentDescriptor descriptor;
    private final Token token;
    private final AtomicInteger unfinished = new AtomicInteger();

    /** Who has it; written by the engine, and read by anybody. */
    final Map<Long, Grant> grants = new ConcurrentHashMap<>();

    // the engine's thread
    final Map<String, LockFile> names = new HashMap<>();
    final List<Runnable> whenReleased = new ArrayList<>();
    boolean told; // importers were told to let go

    /** No new import from now on; set under this object's monitor. */
    private volatile boolean revoked;

    /** Who had it when a message revoked it; null while none did. */
    private volatile @Nullable Set<Peer> invalidators;

    /**
     * A region.
     *
     * @param shared null for foreign memory, which nobody can import
     */
    ShmSegment(
            Exports exports,
            MemorySegment memory,
            @Nullable ShmMemory shared,
            SegmentDescriptor descriptor,
            Token token) {
        this.memory = memory;
        this.exports = exports;
        this.shared = shared;
        this.descriptor = descriptor;
        this.token = token;
    }

    @Nullable
    ShmMemory shared() {
        return shared;
    }

    Access access() {
        return descriptor.access();
    }

    /** Whether a token opens it for that access; the same work whatever is wrong. */
    @SuppressWarnings("ShortCircuitBoolean") // the time must not tell which of them was wrong
    boolean opensTo(@Nullable Token offered, Access wanted) {
        boolean right = token.equals(offered == null ? Token.of(~token.value()) : offered);
        boolean open = right | descriptor.policy() == TokenPolicy.NONE;
        return open & wanted != Access.LOCAL_ONLY & access().covers(wanted) & !revoked & shared != null;
    }

    Token token() {
        return token;
    }

    /** Counts a work request that names it. */
    public void pin() {
        unfinished.getAndIncrement();
    }

    public void unpin() {
        unfinished.getAndDecrement();
    }

    @Override
    public int unfinished() {
        return unfinished.get();
    }

    @Override
    public int tokenId() {
        return descriptor.tokenId();
    }

    @Override
    public SegmentDescriptor descriptor() {
        return descriptor;
    }

    @Override
    public List<String> importers() {
        return grants.values().stream()
                .map(grant -> grant.importer().toString())
                .distinct()
                .sorted()
                .toList();
    }

    boolean isRevoked() {
        return revoked;
    }

    synchronized void markRevoked() {
        revoked = true;
    }

    /** Notes that a message of {@code from} revokes it; true for the first that may. */
    synchronized boolean beginInvalidation(Peer from) {
        Set<Peer> importers = Set.copyOf(
                grants.values().stream().map(Grant::importer).distinct().toList());
        if (revoked || !importers.contains(from)) {
            return false;
        }
        revoked = true;
        invalidators = importers;
        return true;
    }

    /** Whether a message of {@code from} revoked it, or could have. */
    boolean mayInvalidate(Peer from) {
        Set<Peer> all = invalidators;
        return all != null && all.contains(from);
    }

    @Override
    public CompletableFuture<Void> publish(String name) {
        return exports.publish(this, name);
    }

    @Override
    public CompletableFuture<Revocation> unregister(Duration deadline) {
        return exports.unregister(this, deadline);
    }

    @Override
    public String toString() {
        return "segment " + tokenId() + " of " + memory.byteSize() + " bytes";
    }
}
