package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.Importer;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Mapping;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.PeerShare;
import io.urma4j.shm.memory.Failures;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlChecks;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ExportedSegment;
import io.urma4j.spi.control.PeerWindows;
import io.urma4j.spi.control.Publisher;
import io.urma4j.spi.control.SegmentTable;
import io.urma4j.spi.control.WindowNumbers;
import io.urma4j.spi.support.HostMemory;
import io.urma4j.spi.support.RefusalEvents;
import io.urma4j.spi.support.StagedCopies;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The segments of this home: their access checks, importers, and revocation. After the timeout of a revocation, the memory
 * stays in quarantine until the last grant has ended.
 */
final class Exports {

    static final String KIND = "shm";

    /** Each costs memory here, and its end a message. */
    static final int MAX_IMPORTS_OF_A_PEER = 16_384;

    private static final String WHY_ISOLATED =
            "is isolated, and a window would not be enforced against a hostile importer";

    private final Engine engine;
    private final ContextEvents events;
    private final RefusalEvents refusals;
    private final Publisher publisher;
    private final GrantBoard board;
    private final Eid eid;
    private final int uasid;
    private final PeerId self;
    private final SegmentTable<ShmSegment> table = new SegmentTable<>(_ -> {}, _ -> {});
    private final KnownPeers known = new KnownPeers(table);
    private final StagedCopies copies;
    private final AtomicLong lastKey = new AtomicLong(); // keys are never reused
    private long lastGrant; // the engine's thread

    /** @param copies of its device memory; closed with this */
    Exports(
            Engine engine,
            Publisher publisher,
            GrantBoard board,
            StagedCopies copies,
            ContextEvents events,
            Eid eid,
            int uasid,
            PeerId self) {
        this.engine = engine;
        this.publisher = publisher;
        this.board = board;
        this.copies = copies;
        this.events = events;
        this.refusals = new RefusalEvents(events, System.nanoTime());
        this.eid = eid;
        this.uasid = uasid;
        this.self = self;
    }

    // ---- registration; any thread

    SegmentTable<ShmSegment> segments() {
        return table;
    }

    ShmSegment register(SegmentRequest request) {
        ControlChecks.policy(request.policy());
        if (request.region() != null) {
            return registerDevice(request, request.region());
        }
        if (request.memory() == null) {
            return registerForeign(request);
        }
        if (!(request.memory() instanceof HostMemory memory)) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, "memory", "was allocated by a device whose memory cannot be used here");
        }
        if (!(memory instanceof ShmMemory) && request.access() != Access.LOCAL_ONLY) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    memory,
                    "was allocated by another device and can only be LOCAL_ONLY here, not " + request.access()
                            + "; memory for both devices comes from allocate of a context of this one");
        }
        ShmSegment segment = add(memory.segment(), memory, request);
        try {
            use(memory, segment, request);
            return segment;
        } catch (RuntimeException e) {
            table.remove(segment);
            throw e;
        }
    }

    private static void use(HostMemory memory, ShmSegment segment, SegmentRequest request) {
        boolean isolated = request.isolated() && request.access() != Access.LOCAL_ONLY;
        if (memory instanceof ShmMemory shared) {
            shared.addUser(segment, request.access().canWrite(), isolated);
        } else {
            memory.addUser(segment, isolated);
        }
    }

    private ShmSegment registerForeign(SegmentRequest request) {
        MemorySegment foreign = ControlChecks.foreign(request.foreign(), request.access());
        if (request.access() != Access.LOCAL_ONLY) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    "memory",
                    "was not allocated by a context and can only be LOCAL_ONLY here, not " + request.access()
                            + "; memory that peers can import comes from UrmaContext.allocate");
        }
        return add(foreign, null, request);
    }

    private ShmSegment registerDevice(SegmentRequest request, PeerRegion region) {
        Capabilities served = new Capabilities(false, false, true, request.windowsOnly(), MemoryKind.DEVICE);
        DeviceRange range = region.range();
        PeerShare share = DeviceSharing.shareOf(request, region);
        return table.add(request.tokenId(), tokenId -> {
            ExportedSegment<Grant> exported = exported(request, tokenId, range.lengthBytes(), range.address(), served);
            return new ShmSegment(this, Mapping.dead(), copies.region(region), share, null, exported);
        });
    }

    private ShmSegment add(MemorySegment memory, @Nullable HostMemory allocated, SegmentRequest request) {
        Capabilities mapped = new Capabilities(true, true, true, request.windowsOnly(), MemoryKind.HOST);
        return table.add(request.tokenId(), tokenId -> {
            ExportedSegment<Grant> exported = exported(request, tokenId, memory.byteSize(), memory.address(), mapped);
            return new ShmSegment(this, memory, null, null, allocated, exported);
        });
    }

    private ExportedSegment<Grant> exported(
            SegmentRequest request, int tokenId, long lengthBytes, long vaBase, Capabilities capabilities) {
        long key = lastKey.incrementAndGet();
        SegmentDescriptor descriptor = describe(
                eid, uasid, self, tokenId, key, lengthBytes, request.access(), request.policy(), capabilities, vaBase);
        return new ExportedSegment<>(engine, descriptor, key, request.token(), request.isolated(), () -> {});
    }

    /** A segment that an import opens as a whole. */
    static SegmentDescriptor describe(
            Eid eid,
            int uasid,
            PeerId home,
            int tokenId,
            long key,
            long lengthBytes,
            Access access,
            TokenPolicy policy,
            long vaBase) {
        Capabilities mapped = new Capabilities(true, true, true, MemoryKind.HOST);
        return describe(eid, uasid, home, tokenId, key, lengthBytes, access, policy, mapped, vaBase);
    }

    static SegmentDescriptor describe(
            Eid eid,
            int uasid,
            PeerId home,
            int tokenId,
            long key,
            long lengthBytes,
            Access access,
            TokenPolicy policy,
            Capabilities capabilities,
            long vaBase) {
        return new SegmentDescriptor(
                eid,
                uasid,
                home.incarnation(),
                tokenId,
                lengthBytes,
                access,
                policy,
                capabilities,
                List.of(new Endpoint(KIND, home.address(), key, vaBase, false)));
    }

    // ---- import; the engine's thread

    /** The peers by their identities. */
    KnownPeers known() {
        return known;
    }

    /** Grants or refuses; true if it granted. */
    boolean importRequested(Peer from, Connection via, ImportSegment wanted) {
        ShmSegment segment = table.opened(known.isProven(from) ? from.identity() : null, wanted, wanted.key());
        if (segment == null) {
            refused(from, "segment " + wanted.tokenId());
            via.send(SegmentTable.refusal(wanted.request()));
            return false;
        }
        if (from.grants.size() >= MAX_IMPORTS_OF_A_PEER) {
            String why = "limit of " + MAX_IMPORTS_OF_A_PEER + " imports of one peer reached";
            via.refuse(wanted, UrmaStatus.ENOMEM, why);
            return true; // the token was right
        }
        if (segment.device() != null && !from.knowsDeviceMemory()) {
            via.refuse(wanted, UrmaStatus.EINVAL, "it lies in device memory, which this version cannot import");
            return true; // the token was right
        }
        grant(segment, from, via, wanted);
        return true;
    }

    void refused(Peer from, String what) {
        refusals.refused(what, from, System.nanoTime());
    }

    private void grant(ShmSegment segment, Peer from, Connection via, ImportSegment wanted) {
        Grant grant = new Grant(++lastGrant, segment, from, via, wanted.access());
        segment.exported().granted(grant);
        from.grants.put(grant.number(), grant);
        try {
            answer(grant, via, wanted);
        } catch (LibcException e) {
            end(grant);
            UrmaException failure = Failures.of(segment, "cannot be shared", e);
            via.refuse(wanted, failure.status(), failure.reason());
        }
    }

    private void answer(Grant grant, Connection via, ImportSegment wanted) {
        ShmSegment segment = grant.segment();
        SegmentGranted answer = new SegmentGranted(
                wanted.request(),
                grant.number(),
                segment.exported().opened(wanted.access()),
                0,
                segment.descriptor().lengthBytes());
        if (segment.device() != null) {
            grant.importer().served.put(grant.number(), grant);
            via.send(answer); // without memory: the home serves it
        } else if (segment.allocated() instanceof ShmMemory memory) {
            via.send(answer, wanted.access().canWrite() ? memory.shareWritable() : memory.shareReadOnly());
        } else {
            throw new IllegalStateException(segment + " cannot be imported");
        }
    }

    /** An importer no longer touches the memory: it released it, or answered a revocation. */
    void released(Peer from, long number) {
        Grant grant = from.grants.get(number);
        if (grant != null) { // else its giving back and our revocation have crossed
            end(grant);
        }
    }

    /** A peer that is proven gone no longer touches any memory. */
    void importerGone(Peer peer) {
        List.copyOf(peer.grants.values()).forEach(this::end);
    }

    /** A revocation waits for importers that may have opened the memory. The home serves none of them any more. */
    void endByHome(Grant grant) {
        if (grant.isLent()) {
            var _ = grant.requests().shut();
        } else {
            end(grant);
        }
    }

    /** At once, but for device memory whose copies by that grant are in progress. */
    private void end(Grant grant) {
        CompletableFuture<Void> quiet = grant.requests().shut();
        if (quiet.isDone()) {
            ended(grant);
        } else {
            var _ = quiet.thenRun(() -> engine.execute(() -> ended(grant)));
        }
    }

    private static void ended(Grant grant) {
        grant.importer().grants.remove(grant.number());
        grant.importer().served.remove(grant.number());
        grant.end();
        grant.segment().exported().ended(grant);
    }

    // ---- revocation

    CompletableFuture<Revocation> unregister(ShmSegment segment, Duration timeout) {
        long deadlineNanos = engine.deadline(timeout);
        return engine.ask(() -> revoke(segment, deadlineNanos));
    }

    /** Ends a segment for good. */
    CompletableFuture<Revocation> revoke(ShmSegment segment, long deadlineNanos) {
        publisher.unpublish(segment.exported());
        HostMemory memory = segment.allocated();
        return segment.exported()
                .revoke(deadlineNanos, memory == null ? null : memory.quarantine(), () -> remove(segment));
    }

    private void remove(ShmSegment segment) {
        HostMemory memory = segment.allocated();
        if (table.remove(segment) && memory != null) {
            memory.removeUser(segment);
        }
    }

    /** A message requests to revoke a token id; of windows-only segments under it, the sender's windows end. Any thread. */
    InvalidateResult invalidate(Peer from, int tokenId) {
        List<ShmSegment> segments = table.under(tokenId);
        if (segments.stream().noneMatch(segment -> segment.mayInvalidate(from))) {
            return InvalidateResult.NOT_ALLOWED;
        }
        boolean whole = segments.stream()
                .anyMatch(segment -> !segment.exported().isWindowsOnly() && segment.mayInvalidate(from));
        boolean done = true;
        for (ShmSegment segment : segments) {
            if (segment.exported().isWindowsOnly()) {
                segment.endWindowsOf(from);
            } else if (whole) {
                done &= isInvalidated(segment, from);
            }
        }
        return done ? InvalidateResult.DONE : InvalidateResult.IN_PROGRESS;
    }

    private boolean isInvalidated(ShmSegment segment, Peer from) {
        if (segment.beginInvalidation(from)) {
            engine.execute(() -> invalidated(segment, from));
            return false;
        }
        return segment.exported().grants().isEmpty();
    }

    private void invalidated(ShmSegment segment, Peer by) {
        segment.exported().grants().forEach(Grant::tell);
        segment.exported().endOnDevice();
        events.raise(new AsyncEvent(AsyncEvent.Type.SEGMENT_REVOKED, segment, "a message of " + by + " revoked it"));
    }

    // ---- windows; any thread

    /** Grants an importer a window (S7.10). */
    ProviderGrant grant(ShmSegment segment, Importer importer, WindowKey window) {
        Grant to = segment.exported().forWindow(importer, window.access(), WHY_ISOLATED);
        GrantBoard.ShmGrant given = to.addWindow(() -> board.grant(to, window));
        if (given == null) {
            throw segment.exported().notImported(importer);
        }
        return new ImportGrant(to, given);
    }

    /** A window that ends with its import. */
    private record ImportGrant(Grant of, GrantBoard.ShmGrant given) implements ProviderGrant {
        @Override
        public WindowKey key() {
            return given.key();
        }

        @Override
        public void takeBack() {
            of.removeWindow(given);
        }

        @Override
        public boolean isQuiet() {
            return given.isQuiet();
        }
    }

    /** Grants a peer a window, whether or not it imports the segment (S14.32). */
    ProviderGrant grant(ShmSegment segment, io.urma4j.PeerId peer, WindowKey window) {
        ExportedSegment<Grant> exported = segment.exported();
        long number = WindowNumbers.ofPeer(peer, self.incarnation(), exported.key());
        WindowUser user = known.user(peer, number);
        GrantBoard.ShmGrant given = exported.grant(peer, WHY_ISOLATED, () -> board.grant(user, window));
        return new PeerGrant(exported.peerWindows(), peer, given);
    }

    /** A window that ends among those of its peer. */
    private record PeerGrant(PeerWindows all, io.urma4j.PeerId peer, GrantBoard.ShmGrant given)
            implements ProviderGrant {
        @Override
        public WindowKey key() {
            return given.key();
        }

        @Override
        public void takeBack() {
            all.end(peer, given);
        }

        @Override
        public boolean isQuiet() {
            return given.isQuiet();
        }
    }

    /** The context is closed, and with it all segments: releases what the copies of device memory needed. */
    void close() {
        copies.close();
    }

    // ---- names

    CompletableFuture<Void> publish(ShmSegment segment, String name, boolean withToken) {
        return publisher.publish(segment.exported(), name, withToken);
    }
}
