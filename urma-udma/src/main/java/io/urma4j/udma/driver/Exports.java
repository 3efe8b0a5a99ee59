package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Endpoint;
import io.urma4j.PeerId;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.PeerRegion;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderRoceGrant;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlChecks;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ExportedSegment;
import io.urma4j.spi.control.Publisher;
import io.urma4j.spi.control.SegmentTable;
import io.urma4j.spi.control.WindowNumbers;
import io.urma4j.spi.support.HostMemory;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.KeyConfig.DeviceBytes;
import io.urma4j.udma.control.PeerMessage;
import io.urma4j.udma.control.PeerMessage.Core;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The segments of this home: their access checks, importers, and revocation.
 *
 * <p>Each import has its own key on the card, bound to the peer. A revocation invalidates the keys, and from then on no
 * packet touches the memory, not even a retransmitted one. Then the home notifies each importer, and waits for its answer,
 * or its end (docs/udma.md).
 */
final class Exports {
    private static final long NO_IMPORT = 0; // of windows whose peer never imports
    /** Each takes a key of the card, which all contexts of the device share. */
    static final int MAX_IMPORTS_OF_A_PEER = 16_384;

    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private final LocalContext local;
    private final Peers peers;
    private final Runnable settle;
    private final Adapter adapter;
    private final SegmentTable<UdmaSegment> segments;
    private final SegmentKeys keys;
    private final Windows windows;
    private final AtomicInteger lastNumber = new AtomicInteger();
    private final Publisher publisher;

    /**
     * Without segments.
     *
     * @param settle releases the segments of finished work requests
     */
    Exports(LocalContext local, Peers peers, HostDirectory directory, Runnable settle) {
        this.local = local;
        this.peers = peers;
        this.settle = settle;
        this.adapter = local.adapter();
        this.keys = new SegmentKeys(local);
        this.segments = new SegmentTable<>(this::addOwner, keys::removeOwner);
        this.windows = new Windows(local, peers.numbers(), keys);
        this.publisher = new Publisher(
                adapter.engine(),
                (name, _) -> directory.takeName(name, local.place()).map(file -> file::remove));
    }

    /** Releases the segments of finished work requests. Any thread. */
    void settle() {
        settle.run();
    }

    SegmentTable<UdmaSegment> segments() {
        return segments;
    }

    private void addOwner(int tokenId) {
        keys.addOwner(tokenId, (peer, whole) -> invalidated(tokenId, peer, whole));
    }

    Windows windows() {
        return windows;
    }

    // ---- registration; any thread

    UdmaSegment register(SegmentRequest request) {
        ControlChecks.policy(request.policy());
        PeerRegion region = request.region();
        if (region != null) {
            return registerDevice(request, region);
        }
        HostMemory allocated = allocated(request);
        MemorySegment memory =
                allocated == null ? ControlChecks.foreign(request.foreign(), request.access()) : allocated.segment();
        MemoryUse use = allocated == null ? null : MemoryUse.begin(allocated, describe(request), request.isolated());
        try {
            return segments.add(request.tokenId(), tokenId -> keyed(request, memory, null, use, tokenId));
        } catch (RuntimeException e) {
            if (use != null) {
                use.end();
            }
            throw e;
        }
    }

    private UdmaSegment registerDevice(SegmentRequest request, PeerRegion memory) {
        DeviceRange range = memory.range();
        int region = adapter.copies().add(memory);
        DeviceBytes bytes = new DeviceBytes(region, 0, range.lengthBytes(), range.address());
        try {
            return segments.add(request.tokenId(), tokenId -> keyed(request, MemorySegment.NULL, bytes, null, tokenId));
        } catch (RuntimeException e) {
            adapter.copies().remove(region);
            throw e;
        }
    }

    private String describe(SegmentRequest request) {
        return "a registration with " + local + " as " + request.access();
    }

    private static @Nullable HostMemory allocated(SegmentRequest request) {
        if (request.memory() == null) {
            return null;
        }
        if (request.memory() instanceof HostMemory memory) {
            return memory;
        }
        throw new UrmaException(
                UrmaStatus.EINVAL, "memory", "was allocated by a device whose memory cannot be used here");
    }

    private UdmaSegment keyed(
            SegmentRequest request,
            MemorySegment memory,
            @Nullable DeviceBytes device,
            @Nullable MemoryUse use,
            int tokenId) {
        boolean isOpen =
                request.policy() == TokenPolicy.NONE && request.access() != Access.LOCAL_ONLY && !request.windowsOnly();
        KeyConfig own = device == null
                ? KeyConfig.local(memory).withPin(SegmentKeys.pin(use))
                : KeyConfig.local(memory).onDevice(device);
        long va = own.address();
        int localKey = keys.own(own);
        int openKey = isOpen ? keys.open(own, request.access(), tokenId, localKey) : 0;
        List<Endpoint> endpoints = new ArrayList<>();
        int number = lastNumber.incrementAndGet();
        endpoints.add(new UdmaEndpoint(adapter.address(), number, va).toEndpoint());
        if (isOpen && adapter.address().udpPort() == RoceEndpoint.UDP_PORT) {
            // what a peer needs that is not urma4j
            String gid = adapter.eid().toString();
            endpoints.add(new Endpoint(RoceEndpoint.KIND, gid, Integer.toUnsignedLong(openKey), va, false));
        }
        SegmentDescriptor descriptor = describe(
                local.place(),
                tokenId,
                own.lengthBytes(),
                request.access(),
                request.policy(),
                request.windowsOnly(),
                device == null ? MemoryKind.HOST : MemoryKind.DEVICE,
                endpoints);
        Runnable shutToAll = openKey == 0 ? () -> {} : () -> keys.revoke(List.of(openKey));
        ExportedSegment<Grant> exported = new ExportedSegment<>(
                adapter.engine(),
                descriptor,
                Integer.toUnsignedLong(number),
                request.token(),
                request.isolated(),
                shutToAll);
        return new UdmaSegment(this, memory, device, use, exported, localKey, openKey, adapter.newValueWatch());
    }

    static SegmentDescriptor describe(
            HostDirectory.Place home,
            int tokenId,
            long lengthBytes,
            Access access,
            TokenPolicy policy,
            boolean windowsOnly,
            MemoryKind kind,
            List<Endpoint> endpoints) {
        return new SegmentDescriptor(
                home.at().eid(),
                home.uasid(),
                home.incarnation(),
                tokenId,
                lengthBytes,
                access,
                policy,
                new Capabilities(false, false, true, windowsOnly, kind),
                endpoints);
    }

    // ---- import; the engine's thread

    /** Grants or refuses; true if it granted. */
    boolean importRequested(Path from, long number, ImportSegment wanted) {
        UdmaSegment segment = segments.opened(
                peers.isProven(from) ? from.identity() : null, wanted, Integer.toUnsignedLong((int) wanted.key()));
        if (segment == null) {
            local.importRefused("segment " + wanted.tokenId(), from.peer());
            peers.answer(from, number, SegmentTable.refusal(number));
            return false;
        }
        grant(segment, from, number, wanted);
        return true;
    }

    private void grant(UdmaSegment segment, Path from, long number, ImportSegment wanted) {
        try {
            checkRoom(from);
            from.open();
            Access opened = segment.exported().opened(wanted.access());
            long openedBytes = opened == Access.LOCAL_ONLY ? 0 : segment.lengthBytes();
            int key = keys.ofImport(segment, from.number(), openedBytes, opened);
            Grant grant = new Grant(key, segment, from, wanted.access());
            segment.exported().granted(grant);
            from.grants.put(grant.key(), grant);
            peers.answer(
                    from,
                    number,
                    new SegmentGranted(number, grant.number(), opened, segment.vaBase(), segment.lengthBytes()));
        } catch (UrmaException e) {
            peers.answer(from, number, new Refused(number, e.status(), String.valueOf(e.getMessage())));
        }
    }

    private static void checkRoom(Path from) {
        if (from.grants.size() >= MAX_IMPORTS_OF_A_PEER) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM,
                    from.peer(),
                    "limit of " + MAX_IMPORTS_OF_A_PEER + " imports of one peer reached");
        }
    }

    /** An importer released the segment. */
    void released(Path from, long number) {
        Grant grant = from.grants.get((int) number);
        if (grant != null) {
            windows.shut(grant);
            end(grant);
        }
    }

    /** A peer is lost: its keys are invalid. If it may live on, the windows of its identity wait for it (S14.32). */
    void importerLost(Path peer) {
        List<Grant> all = List.copyOf(peer.grants.values());
        all.forEach(windows::shut);
        all.forEach(this::end);
        if (peers.isProven(peer) && peer.peer().isGone()) {
            endWindows(peer.identity());
        }
    }

    /** A peer with that identity is gone, or its binding. Any thread. */
    void endWindows(PeerId peer) {
        segments.all().forEach(segment -> segment.exported().peerWindows().endOf(peer));
    }

    void end(Grant grant) {
        grant.importer().grants.remove(grant.key());
        grant.segment().exported().ended(grant);
    }

    // ---- windows; any thread

    /** Grants a peer a window, whether or not it imports the segment (S14.32). */
    ProviderGrant grant(UdmaSegment segment, PeerId peer, long offset, long lengthBytes, Access access) {
        long number = WindowNumbers.ofPeer(
                peer, local.place().incarnation(), segment.exported().key());
        return windows.grant(segment, peer, number, offset, lengthBytes, access);
    }

    /** A queue that may be bound to a peer by hand (S7.16). */
    interface BoundQueue {
        /** The identity of the foreign peer that it is bound to; null if there is none. Any thread. */
        @Nullable
        PeerId foreignPeer();
    }

    /**
     * Grants a range to the foreign peer of a queue (S7.16).
     *
     * @throws UrmaException EINVAL if it has none
     */
    ProviderRoceGrant grant(UdmaSegment segment, BoundQueue jetty, long offset, long lengthBytes, Access access) {
        PeerId peer = jetty.foreignPeer();
        if (peer == null) {
            throw new UrmaException(UrmaStatus.EINVAL, jetty, "is bound to no RoCE endpoint");
        }
        Windows.Named granted = windows.grant(segment, peer, NO_IMPORT, offset, lengthBytes, access);
        if (!peer.equals(jetty.foreignPeer())) {
            granted.takeBack(); // the end of the binding may have looked too early
            throw new UrmaException(UrmaStatus.EINVAL, jetty, "was unbound meanwhile");
        }
        return granted;
    }

    // ---- revocation

    CompletableFuture<Revocation> unregister(UdmaSegment segment, Duration timeout) {
        long deadlineNanos = adapter.engine().deadline(timeout);
        return adapter.engine().ask(() -> revoke(segment, deadlineNanos));
    }

    /** Ends a segment for good. The engine's thread. */
    CompletableFuture<Revocation> revoke(UdmaSegment segment, long deadlineNanos) {
        publisher.unpublish(segment.exported());
        segment.exported().markRevoked();
        keys.revoke(List.of(segment.localKey()));
        MemoryUse use = segment.use();
        return segment.exported().revoke(deadlineNanos, use == null ? null : use.quarantine(), () -> remove(segment));
    }

    /** Replaces the token, and revokes the segment from importers with the old one (S7.5). Any thread. */
    CompletableFuture<Revocation> rotate(UdmaSegment segment, Token next, Duration timeout) {
        long deadlineNanos = adapter.engine().deadline(timeout);
        CompletableFuture<Revocation> rotated = segment.exported().rotate(next, timeout);
        DeviceBytes device = segment.device();
        return device == null ? rotated : rotated.thenCompose(done -> quiet(device, done, deadlineNanos));
    }

    /**
     * Completed once the copies have ended that are in progress on the device: a revoked key may have begun them. At the deadline the
     * result names them beside the importers, since a device may never end a copy.
     */
    private CompletableFuture<Revocation> quiet(DeviceBytes device, Revocation done, long deadlineNanos) {
        List<String> holders = new ArrayList<>(done.importers());
        holders.add("a copy in progress on its device");
        return adapter.eventLoop()
                .call(_ -> adapter.copies().quiet(device.region()))
                .thenApply(_ -> done)
                .completeOnTimeout(
                        new Revocation(Revocation.Status.QUARANTINED, holders),
                        Math.max(deadlineNanos - adapter.nanos(), 0),
                        TimeUnit.NANOSECONDS);
    }

    /** Notifies an importer of the revocation, and awaits its answer. */
    void tell(Grant grant) {
        PeerMessage revoke = new Core(new Revoke(grant.number()));
        long patience = adapter.nanos() + HOUR_NANOS; // a peer that is gone ends it sooner
        var _ = peers.ask(grant.importer().peer(), _ -> revoke, patience).whenComplete((_, _) -> end(grant));
    }

    private void remove(UdmaSegment segment) {
        MemoryUse use = segment.use();
        if (!segments.remove(segment)) {
            return;
        }
        adapter.forget(segment.values());
        DeviceBytes device = segment.device();
        if (device != null) {
            adapter.copies().remove(device.region());
        }
        if (use != null) {
            use.end();
        }
    }

    /** A message of a peer has revoked keys under a token id. The engine's thread. */
    private void invalidated(int tokenId, int peer, boolean whole) {
        for (UdmaSegment segment : segments.under(tokenId)) {
            if (segment.exported().isWindowsOnly()) {
                windows.endRevoked(segment, peer);
                peers.byNumber(peer).ifPresent(path -> windows.endRevoked(segment, path));
            } else if (whole && segment.exported().markRevoked()) {
                segment.exported().shut();
                local.raise(AsyncEvent.Type.SEGMENT_REVOKED, segment, "a message revoked its token id");
            }
        }
    }

    // ---- names

    CompletableFuture<Void> publish(UdmaSegment segment, String name, boolean withToken) {
        return publisher.publish(segment.exported(), name, withToken);
    }

    /** A peer looks up a name of this home. The engine's thread. */
    void lookedUp(Path from, long number, Lookup lookup) {
        peers.answer(from, number, publisher.lookedUp(number, lookup));
    }
}
