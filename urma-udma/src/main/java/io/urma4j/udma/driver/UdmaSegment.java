package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.control.Revocations;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A registered segment of this context. Safe for any thread. */
final class UdmaSegment implements ProviderSegment {
    private static final Token NOBODYS = Token.random();

    private final Exports exports;
    private final MemorySegment memory;
    private final @Nullable UdmaMemory allocated;
    private final boolean isolated;
    private final SegmentDescriptor descriptor;
    private final int localKey;
    private final int openKey;
    private final ValueWatch values;
    private volatile Token token;
    private volatile boolean revoked;
    private final AtomicInteger unfinished = new AtomicInteger();

    /** The current importers, by key; written by the engine, read by any thread. */
    final Map<Integer, Grant> grants = new ConcurrentHashMap<>();

    // the engine's thread
    final Map<String, OwnFile> names = new HashMap<>();
    final Revocations<Grant> revocations =
            new Revocations<>(grant -> grant.importer().peer().toString());

    /**
     * Creates a segment.
     *
     * @param allocated null for foreign memory
     * @param localKey of this machine's own work requests
     * @param openKey for everybody, when no token is asked for; 0 for none
     * @param values of its keys for single peers
     */
    UdmaSegment(
            Exports exports,
            MemorySegment memory,
            @Nullable UdmaMemory allocated,
            boolean isolated,
            SegmentDescriptor descriptor,
            Token token,
            int localKey,
            int openKey,
            ValueWatch values) {
        this.exports = exports;
        this.memory = memory;
        this.allocated = allocated;
        this.isolated = isolated;
        this.descriptor = descriptor;
        this.token = token;
        this.localKey = localKey;
        this.openKey = openKey;
        this.values = values;
    }

    // ---- for the queues

    /** The handle in local ranges of work requests, which count from the segment's start. */
    int localKey() {
        return localKey;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Counts a work request that names it. */
    void pin() {
        unfinished.getAndIncrement();
    }

    void unpin() {
        unfinished.getAndDecrement();
    }

    // ---- for the control plane

    int openKey() {
        return openKey;
    }

    /** What the keys of single peers report to. */
    ValueWatch values() {
        return values;
    }

    @Nullable
    UdmaMemory allocated() {
        return allocated;
    }

    Access access() {
        return descriptor.access();
    }

    long vaBase() {
        return memory.address();
    }

    /** Whether the segment exists and the token permits that access; takes the same time whatever is wrong. */
    @SuppressWarnings("ShortCircuitBoolean") // the time must not tell which of them was wrong
    static boolean opens(@Nullable UdmaSegment segment, @Nullable Token offered, Access wanted) {
        Token needed = segment == null ? NOBODYS : segment.token;
        Access given = segment == null ? Access.LOCAL_ONLY : segment.access();
        boolean free = segment != null && segment.descriptor.policy() == TokenPolicy.NONE;
        boolean open = segment != null && !segment.revoked;
        boolean right = needed.equals(offered == null ? Token.of(~needed.value()) : offered);
        return open & (right | free) & wanted != Access.LOCAL_ONLY & given.covers(wanted);
    }

    boolean isIsolated() {
        return isolated;
    }

    boolean isRevoked() {
        return revoked;
    }

    /** Allows no new import from now on; true for the first call. On the engine's thread. */
    boolean markRevoked() {
        boolean first = !revoked;
        revoked = true;
        return first;
    }

    /** On the engine's thread. */
    void setToken(Token next) {
        token = next;
    }

    // ---- ProviderSegment

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
                .map(grant -> grant.importer().peer().toString())
                .distinct()
                .sorted()
                .toList();
    }

    @Override
    public List<Importer> importing() {
        return grants.values().stream()
                .map(grant -> new Importer(
                        grant.importer().peer().eid(), grant.importer().peer().uasid(), grant.number()))
                .sorted(Comparator.comparingLong(Importer::number))
                .toList();
    }

    @Override
    public ProviderGrant grant(Importer importer, long offset, long lengthBytes, Access access) {
        return exports.windows().grant(this, importer, offset, lengthBytes, access);
    }

    @Override
    public boolean watch(Runnable onNotify) {
        values.watch(onNotify);
        return openKey == 0; // a key that is everybody's does not tell
    }

    @Override
    public int unfinished() {
        if (unfinished.get() > 0) {
            exports.context().queues().settle();
        }
        return unfinished.get();
    }

    @Override
    public CompletableFuture<Void> publish(String name, boolean withToken) {
        return exports.publish(this, name, withToken);
    }

    @Override
    public Token token() {
        return token;
    }

    @Override
    public CompletableFuture<Revocation> rotate(Token next, Duration timeout) {
        return exports.rotate(this, next, timeout);
    }

    @Override
    public CompletableFuture<Revocation> unregister(Duration timeout) {
        return exports.unregister(this, timeout);
    }

    @Override
    public String toString() {
        return "segment " + tokenId() + " of " + memory.byteSize() + " bytes";
    }
}
