package io.urma4j.spi.control;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.PeerId;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.spi.support.Quarantine;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A segment as its home sees it: its token, its importers, and their revocation. The engine's thread changes it, and any
 * thread may read it, except where stated.
 *
 * <p>A revocation allows no new import, notifies each importer, and waits for its answer, or for the proof that it is gone.
 * Until then its grant stays.
 *
 * @param <G> a grant
 */
public final class ExportedSegment<G extends ExportedSegment.Granted> {
    private static final Token DECOY = Token.random();

    private final ControlEngine engine;
    private final SegmentDescriptor descriptor;
    private final long key;
    private final boolean isolated;
    private final Runnable shutToAll;
    private final Map<Long, G> grants = new ConcurrentHashMap<>();
    private final PeerWindows peerWindows = new PeerWindows(this::isRevoked);
    private final Revocations<G> revocations = new Revocations<>(Granted::holder);
    private volatile Token token;
    private volatile boolean revoked; // set under this object's monitor

    /** An import that this home granted. */
    public interface Granted {
        /** Distinguishes it from all other grants of the context, also from ended ones. */
        long number();

        /** What the importer may do. */
        Access access();

        /** The importer, for applications. */
        Importer importing();

        /** The importer, for messages. */
        String holder();

        /** Ends access by this grant as far as this home can do so alone; the importer is notified after that. */
        void shut();

        /** Notifies the importer of the revocation. */
        void tell();

        /**
         * Ends the import of device memory at once, or when the copies in progress have ended. The importer need not answer, since it
         * never touches such memory by itself (S15.46).
         */
        void endByHome();
    }

    /**
     * A segment without importers.
     *
     * @param key distinguishes it from other segments of its token id
     * @param isolated whether its importers are not trusted to keep to windows
     * @param shutToAll ends access that needs no grant
     */
    public ExportedSegment(
            ControlEngine engine,
            SegmentDescriptor descriptor,
            long key,
            Token token,
            boolean isolated,
            Runnable shutToAll) {
        this.engine = engine;
        this.shutToAll = shutToAll;
        this.descriptor = descriptor;
        this.key = key;
        this.token = token;
        this.isolated = isolated;
    }

    public SegmentDescriptor descriptor() {
        return descriptor;
    }

    public long key() {
        return key;
    }

    public Access access() {
        return descriptor.access();
    }

    /** The access that an import opens by itself: LOCAL_ONLY if it opens nothing but windows (S14.31). */
    public Access opened(Access granted) {
        return isWindowsOnly() ? Access.LOCAL_ONLY : granted;
    }

    /** Whether an import of it opens nothing but windows (S14.31). */
    public boolean isWindowsOnly() {
        return descriptor.capabilities().windowsOnly();
    }

    /** The windows that are granted to peers by their ids. */
    public PeerWindows peerWindows() {
        return peerWindows;
    }

    public Token token() {
        return token;
    }

    public boolean isRevoked() {
        return revoked;
    }

    /** Allows no new import from now on; true for the first call. Any thread. */
    public synchronized boolean markRevoked() {
        boolean first = !revoked;
        revoked = true;
        return first;
    }

    // ---- importers

    /**
     * Whether the segment exists and the token, or a window of a windows-only segment, permits that access; takes the same
     * time whatever is wrong.
     *
     * @param from the proven identity of the importer; null if another peer has proven the same
     */
    @SuppressWarnings("ShortCircuitBoolean") // the time must not tell which of them was wrong
    static boolean opens(
            @Nullable ExportedSegment<?> segment, @Nullable PeerId from, @Nullable Token offered, Access wanted) {
        Token needed = segment == null ? DECOY : segment.token;
        Access given = segment == null ? Access.LOCAL_ONLY : segment.access();
        boolean free = segment != null && segment.descriptor.policy() == TokenPolicy.NONE;
        boolean open = segment != null && !segment.revoked;
        boolean right = needed.equals(offered == null ? Token.of(~needed.value()) : offered);
        boolean byWindow = segment != null && segment.isWindowsOnly();
        boolean hasWindow = segment != null && from != null && segment.peerWindows.has(from);
        boolean permitted = (byWindow & hasWindow) | (!byWindow & (right | free));
        return open & permitted & wanted != Access.LOCAL_ONLY & given.covers(wanted);
    }

    public void granted(G grant) {
        grants.put(grant.number(), grant);
    }

    /** The importer no longer touches the memory by this grant. Idempotent. */
    public void ended(G grant) {
        if (grants.remove(grant.number(), grant)) {
            revocations.ended(grant);
        }
    }

    /** The current grants. */
    public Collection<G> grants() {
        return grants.values();
    }

    /** A description of each current importer. */
    public List<String> importers() {
        return grants.values().stream().map(Granted::holder).distinct().sorted().toList();
    }

    /** The current importers, which may be granted windows. */
    public List<Importer> importing() {
        return grants.values().stream()
                .map(Granted::importing)
                .sorted(Comparator.comparingLong(Importer::number))
                .toList();
    }

    /**
     * The grant of an importer that may get a window of that access (S7.10). Any thread.
     *
     * @param whyIsolated why there are no windows of an isolated segment
     */
    public G forWindow(Importer importer, Access wanted, String whyIsolated) {
        G grant = grants.get(importer.number());
        if (grant == null || revoked) {
            throw notImported(importer);
        }
        checkWindows(whyIsolated);
        if (!grant.access().covers(wanted)) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    this,
                    importer + " has imported it as " + grant.access() + ", a window as " + wanted + " is more");
        }
        return grant;
    }

    /**
     * The window that {@code made} creates for a peer, which need not import the segment yet (S14.32). Any thread.
     *
     * @param whyIsolated why there are no windows of an isolated segment
     */
    public <W extends PeerWindows.Window> W grant(PeerId peer, String whyIsolated, Supplier<W> made) {
        checkWindows(whyIsolated);
        return peerWindows
                .add(peer, made)
                .orElseThrow(() -> new UrmaException(UrmaStatus.EINVAL, this, "was revoked, and has no windows"));
    }

    private void checkWindows(String whyIsolated) {
        if (isolated) {
            throw new UrmaException(UrmaStatus.EINVAL, this, whyIsolated);
        }
    }

    /** The failure of a window for a context that does not import the segment. */
    public UrmaException notImported(Importer importer) {
        return new UrmaException(UrmaStatus.EINVAL, this, importer + " does not import it");
    }

    // ---- revocation

    /**
     * Ends the segment for good.
     *
     * @param quarantine of its memory from the deadline until the last grant has ended
     * @param whenReleased runs when the last grant has ended
     */
    public CompletableFuture<Revocation> revoke(
            long deadlineNanos, @Nullable Quarantine quarantine, Runnable whenReleased) {
        markRevoked();
        shut();
        Quarantine held = quarantine == null ? new Quarantine() : quarantine;
        Runnable end = () -> {
            whenReleased.run();
            held.end(this);
        };
        return revocations.await(grants.values(), engine::at, deadlineNanos, end, late -> held.add(this, late));
    }

    /** Rotates the token, and revokes the segment from importers with the old one (S7.5). Any thread. */
    public CompletableFuture<Revocation> rotate(Token next, Duration timeout) {
        long deadlineNanos = engine.deadline(timeout);
        return engine.ask(() -> {
            if (revoked) {
                throw new UrmaException(UrmaStatus.EINVAL, this, "was revoked, and so has no token to rotate");
            }
            token = next;
            shut();
            return revocations.await(grants.values(), engine::at, deadlineNanos, () -> {}, _ -> {});
        });
    }

    /** Ends access by the current grants, and notifies their importers. */
    public void shut() {
        shutToAll.run();
        peerWindows.endAll();
        grants.values().forEach(Granted::shut);
        List.copyOf(grants.values()).forEach(Granted::tell);
        endOnDevice();
    }

    /** Ends the grants of device memory, after their importers were notified. */
    public void endOnDevice() {
        if (descriptor.capabilities().memory() == MemoryKind.DEVICE) {
            List.copyOf(grants.values()).forEach(Granted::endByHome);
        }
    }

    /** The device memory is gone: its importers lose access, as by a revocation. Any thread. */
    public void memoryLost() {
        if (markRevoked()) {
            engine.submit(this::shut);
        }
    }

    @Override
    public String toString() {
        return "segment " + descriptor.tokenId() + " of " + descriptor.lengthBytes() + " bytes";
    }
}
