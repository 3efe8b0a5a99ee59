package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.WindowKey;
import io.urma4j.peer.PeerShare;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.control.ExportedSegment;
import io.urma4j.spi.control.SegmentTable;
import io.urma4j.spi.support.HostMemory;
import io.urma4j.spi.support.HostPinning;
import io.urma4j.spi.support.StagedRegion;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A registered segment of this context. Safe for any thread. */
public final class ShmSegment implements ProviderSegment, SegmentTable.Entry {
    /**
     * The bytes; access throws {@code IllegalStateException} once their owner has freed them, and always for device memory.
     */
    public final MemorySegment memory;

    private final @Nullable StagedRegion device;
    private final @Nullable PeerShare share;
    private final Exports exports;
    private final @Nullable HostMemory allocated;
    private final ExportedSegment<Grant> exported;
    private volatile Uses[] uses = {};
    private @Nullable Uses lastUses; // one of them, for a quick look: without order

    /** The importers at the time when a message revoked the segment; null until then. */
    private volatile @Nullable Set<Peer> invalidators;

    /**
     * Creates a segment.
     *
     * @param device its bytes if they lie on a device; then {@code memory} is dead
     * @param share what importers of device memory may open; null if its home serves it in any case
     * @param allocated null for foreign memory; peers can import only {@code ShmMemory}, the rest is LOCAL_ONLY
     */
    ShmSegment(
            Exports exports,
            MemorySegment memory,
            @Nullable StagedRegion device,
            @Nullable PeerShare share,
            @Nullable HostMemory allocated,
            ExportedSegment<Grant> exported) {
        this.memory = memory;
        this.device = device;
        this.share = share;
        this.exports = exports;
        this.allocated = allocated;
        this.exported = exported;
    }

    @Override
    public ExportedSegment<Grant> exported() {
        return exported;
    }

    /** Its bytes on a device; null if they lie in memory of the host. */
    public @Nullable StagedRegion device() {
        return device;
    }

    Exports exports() {
        return exports;
    }

    /** What importers may open; null if its home serves it. */
    @Nullable
    PeerShare share() {
        return share;
    }

    @Nullable
    HostMemory allocated() {
        return allocated;
    }

    /** How copy engines reach its memory of the host; null for other memory, whose owner may free it at any time. */
    public @Nullable HostPinning pinning() {
        return allocated == null ? null : allocated.pinning();
    }

    @Override
    public void memoryLost() {
        exported.memoryLost();
    }

    /** Distinguishes it from other segments of its token id. */
    long key() {
        return exported.key();
    }

    @Override
    public Token token() {
        return exported.token();
    }

    @Override
    public CompletableFuture<Revocation> rotate(Token next, Duration timeout) {
        return exported.rotate(next, timeout);
    }

    /**
     * The number of work requests of one user that name the segment: a shared counter would cost every message two atomic
     * operations. Its user writes it, under its lock; a thread that has seen a record sees it counted here.
     */
    private static final class Uses {
        final SegmentUser user;
        int count;

        Uses(SegmentUser user) {
            this.user = user;
        }
    }

    /** Counts a work request that names the segment. Under the user's lock. */
    public void pin(SegmentUser user) {
        usesOf(user).count++;
    }

    public void unpin(SegmentUser user) {
        usesOf(user).count--;
    }

    private Uses usesOf(SegmentUser user) {
        Uses latest = lastUses; // read once: others write it, too
        return latest != null && latest.user.equals(user) ? latest : find(user);
    }

    private Uses find(SegmentUser user) {
        for (Uses known : uses) {
            if (known.user.equals(user)) {
                lastUses = known;
                return known;
            }
        }
        return firstUse(user);
    }

    private synchronized Uses firstUse(SegmentUser user) {
        Uses mine = new Uses(user);
        uses = Stream.concat(Stream.of(mine), Arrays.stream(uses).filter(one -> !one.user.isClosed()))
                .toArray(Uses[]::new);
        return mine;
    }

    @Override
    public int unfinished() {
        int sum = 0;
        for (Uses one : uses) {
            sum += one.count;
        }
        return sum;
    }

    @Override
    public int tokenId() {
        return exported.descriptor().tokenId();
    }

    @Override
    public SegmentDescriptor descriptor() {
        return exported.descriptor();
    }

    @Override
    public List<String> importers() {
        return exported.importers();
    }

    @Override
    public List<Importer> importing() {
        return exported.importing();
    }

    @Override
    public ProviderGrant grant(Importer importer, long offset, long lengthBytes, Access granted) {
        return exports.grant(this, importer, new WindowKey(importer.number(), 0, 0, offset, lengthBytes, granted));
    }

    @Override
    public ProviderGrant grant(io.urma4j.PeerId peer, long offset, long lengthBytes, Access granted) {
        return exports.grant(this, peer, new WindowKey(0, 0, 0, offset, lengthBytes, granted));
    }

    /** Records that a message of {@code from} revokes the token id; true for the first. */
    synchronized boolean beginInvalidation(Peer from) {
        if (!exported.markRevoked()) {
            return false;
        }
        Set<Peer> importers = new HashSet<>(importingPeers());
        importers.add(from); // which has imported another segment of that token id
        invalidators = importers;
        return true;
    }

    /** Whether a message of {@code from} may revoke it, did so, or could have. */
    synchronized boolean mayInvalidate(Peer from) {
        Set<Peer> all = invalidators;
        return all != null
                ? all.contains(from)
                : !exported.isRevoked() && importingPeers().contains(from);
    }

    /** A message of {@code from} ends its windows. */
    void endWindowsOf(Peer from) {
        exported.peerWindows().endOf(from.identity());
        exported.grants().stream()
                .filter(grant -> grant.importer().equals(from))
                .forEach(Grant::endWindows);
    }

    private Set<Peer> importingPeers() {
        return exported.grants().stream().map(Grant::importer).collect(Collectors.toSet());
    }

    @Override
    public CompletableFuture<Void> publish(String name, boolean withToken) {
        return exports.publish(this, name, withToken);
    }

    @Override
    public CompletableFuture<Revocation> unregister(Duration timeout) {
        return exports.unregister(this, timeout);
    }

    @Override
    public String toString() {
        return exported.toString();
    }
}
