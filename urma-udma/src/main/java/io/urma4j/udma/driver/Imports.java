package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.PeerId;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.control.ControlChecks;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.control.WindowNumbers;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.control.PortAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What this context imports of peers, segments and queues, and its release and revocation. */
final class Imports {
    private final LocalContext local;
    private final Peers peers;
    private final Runnable settle;
    private final Adapter adapter;

    /**
     * Without imports.
     *
     * @param settle releases what finished work requests named
     */
    Imports(LocalContext local, Peers peers, Runnable settle) {
        this.local = local;
        this.peers = peers;
        this.settle = settle;
        this.adapter = local.adapter();
    }

    /** Releases what finished work requests named. Any thread. */
    void settle() {
        settle.run();
    }

    // ---- segments

    /** Any thread. */
    CompletableFuture<ProviderImport> importSegment(ImportRequest request) {
        SegmentDescriptor descriptor = request.descriptor();
        String what = "segment " + descriptor.uasid() + "/" + descriptor.tokenId();
        ControlChecks.token(what, descriptor.policy(), request.token());
        Optional<UdmaEndpoint> endpoint = UdmaEndpoint.of(what, descriptor.endpoints());
        if (endpoint.isEmpty()) {
            return CompletableFuture.completedFuture(segmentByHand(what, request));
        }
        long deadlineNanos = adapter.engine().deadline(request.timeout());
        int tokenId = descriptor.tokenId();
        long number = Integer.toUnsignedLong(endpoint.get().number());
        HostDirectory.Place own = local.place();
        long named = WindowNumbers.ofPeer(
                new PeerId(adapter.eid(), own.uasid(), own.incarnation()), descriptor.incarnation(), number);
        return adapter.engine()
                .ask(() -> peers.withHome(
                        endpoint.get().at(),
                        descriptor.incarnation(),
                        deadlineNanos,
                        home -> peers.obtainCore(
                                        home,
                                        SegmentGranted.class,
                                        n -> new ImportSegment(n, tokenId, number, request.access(), request.token()),
                                        deadlineNanos,
                                        granted -> giveBack(home, granted.grant()))
                                .thenApply(granted -> granted(home, granted, tokenId, named, request.access()))));
    }

    private UdmaImport segmentByHand(String what, ImportRequest request) {
        Endpoint endpoint = request.descriptor().endpoints().stream()
                .filter(candidate -> candidate.kind().equals(RoceEndpoint.KIND))
                .findFirst()
                .orElseThrow(() -> noEndpoint(what));
        return UdmaImport.byHand(
                this,
                (int) endpoint.key(),
                endpoint.vaBase(),
                request.descriptor().lengthBytes(),
                request.access(),
                what);
    }

    private static UrmaException noEndpoint(String what) {
        return new UrmaException(UrmaStatus.EINVAL, what, "has no endpoint of the kind " + UdmaEndpoint.KIND);
    }

    private UdmaImport granted(Path home, SegmentGranted granted, int tokenId, long named, Access wanted) {
        try {
            return adopted(home, granted, tokenId, named, wanted);
        } catch (RuntimeException e) {
            giveBack(home, granted.grant());
            throw e;
        }
    }

    private UdmaImport adopted(Path home, SegmentGranted granted, int tokenId, long named, Access wanted) {
        boolean windowsOnly = ControlChecks.windowsOnly(home.peer(), granted.access(), wanted);
        if (!home.peer().isLost()) {
            home.open();
        }
        UdmaImport made = UdmaImport.granted(this, home, granted, named, wanted, windowsOnly, tokenId);
        if (home.peer().isLost() || home.wasRevokedEarly(made.grant())) {
            made.markRevoked();
        } else {
            home.imports.put(made.grant(), made);
        }
        home.retain();
        return made;
    }

    private void giveBack(Path home, long grant) {
        peers.giveBack(home, _ -> new Unimport(grant));
    }

    /** The home revokes an import: later posts on it fail at once. The engine's thread. */
    void revoked(Path home, long number, long grant) {
        UdmaImport taken = home.imports.remove(grant);
        if (taken == null) {
            home.noteEarlyRevocation(grant); // already released; or the answer that grants it is still in flight
        } else {
            taken.markRevoked();
            local.raise(AsyncEvent.Type.SEGMENT_REVOKED, taken, "its home revoked it");
        }
        peers.answer(home, number, new Revoked(grant));
    }

    /** The home is gone, and all of its imports with it. The engine's thread. */
    void homeLost(Path home, String why) {
        List<UdmaImport> all = List.copyOf(home.imports.values());
        home.imports.clear();
        for (UdmaImport one : all) {
            one.markRevoked();
            local.raise(AsyncEvent.Type.SEGMENT_REVOKED, one, "its home is gone: " + why);
        }
    }

    /** Its user closed it: no work request names it any more. Any thread. */
    void close(UdmaImport closing) {
        Path home = closing.path();
        if (home == null) {
            return;
        }
        adapter.engine().submit(() -> {
            if (home.imports.remove(closing.grant(), closing)) {
                giveBack(home, closing.grant());
            }
            home.release();
        });
    }

    // ---- queues, as targets of messages

    CompletableFuture<ProviderTarget> importQueue(
            JettyDescriptor descriptor, @Nullable Token token, long deadlineNanos) {
        String what = descriptor.kind() + " " + descriptor.id();
        ControlChecks.token(what, descriptor.policy(), token);
        Optional<UdmaEndpoint> endpoint = UdmaEndpoint.of(what, descriptor.endpoints());
        if (endpoint.isEmpty()) {
            return CompletableFuture.completedFuture(targetByHand(what, descriptor, token));
        }
        int number = endpoint.get().number();
        return adapter.engine()
                .ask(() -> peers.withHome(
                        endpoint.get().at(),
                        descriptor.incarnation(),
                        deadlineNanos,
                        home -> home.peer().uasid() == descriptor.id().uasid()
                                ? peers.askCore(
                                                home,
                                                QueueGranted.class,
                                                n -> new ImportQueue(n, number, descriptor.kind(), token),
                                                deadlineNanos)
                                        .thenApply(granted -> target(descriptor, number, home, granted))
                                : CompletableFuture.failedFuture(leadsElsewhere(what, home))));
    }

    /** A forged descriptor, or reply address, must not lead to a third context. */
    private static UrmaException leadsElsewhere(String what, Path home) {
        return new UrmaException(UrmaStatus.ENOPERM, what, "its endpoint leads to " + home.peer());
    }

    private UdmaTarget targetByHand(String what, JettyDescriptor descriptor, @Nullable Token token) {
        RoceEndpoint endpoint = RoceEndpoint.of(descriptor).orElseThrow(() -> noEndpoint(what));
        int handle = switch (descriptor.mode()) {
            case RC -> 0;
            case UM ->
                datagramTarget(
                        new PortAddress(endpoint.gid(), RoceEndpoint.UDP_PORT),
                        endpoint.qpNumber(),
                        token == null ? 0 : token.value());
            case RM ->
                throw new UrmaException(
                        UrmaStatus.EINVAL,
                        what,
                        "mode RM is specific to urma4j: the import needs an endpoint of kind 'udma', the descriptor has only 'roce'");
        };
        adapter.unknownPeers().know(sourceOf(endpoint));
        return new UdmaTarget(this, descriptor, endpoint.qpNumber(), handle, null, endpoint);
    }

    /** The source of a foreign peer's packets: any port (WIRE §0). */
    private static PortAddress sourceOf(RoceEndpoint byHand) {
        return new PortAddress(byHand.gid(), 0);
    }

    private int datagramTarget(PortAddress at, int number, int queueKey) {
        RemotePort port = adapter.reachable(at);
        return adapter.eventLoop().call(card -> card.createDatagramTarget(port, number, queueKey));
    }

    /** The engine's thread. */
    private UdmaTarget target(JettyDescriptor descriptor, int number, Path home, QueueGranted granted) {
        if (home.peer().isLost()) {
            throw new UrmaException(UrmaStatus.ETIMEOUT, descriptor.id(), "its home has just closed or ended");
        }
        home.open();
        int handle = switch (granted.mode()) {
            case RM -> adapter.eventLoop().call(card -> card.createTarget(home.connection(), number));
            case UM -> datagramTarget(home.peer().address(), number, (int) granted.attributes());
            case RC -> 0;
        };
        home.retain();
        return new UdmaTarget(this, descriptor, number, handle, home, null);
    }

    /** Its user closed it: no work request names it any more. Any thread. */
    void close(UdmaTarget target) {
        adapter.engine().submit(() -> {
            if (target.handle() != 0) {
                adapter.eventLoop().run(card -> card.destroyTarget(target.handle()));
            }
            Path path = target.path();
            if (path != null) {
                path.release();
            }
            RoceEndpoint byHand = target.byHand();
            if (byHand != null) {
                adapter.unknownPeers().forget(sourceOf(byHand));
            }
        });
    }
}
