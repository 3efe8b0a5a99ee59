package io.urma4j.udma.driver;

import io.urma4j.JettyDescriptor;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.control.ControlChecks;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.udma.RoceEndpoint;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.control.PortAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Imports queues of peers, as targets of messages, and releases them. Any thread, except where stated. */
final class Targets {
    private final Adapter adapter;
    private final Peers peers;
    private final Runnable settle;

    /**
     * Without targets.
     *
     * @param settle releases the targets of finished work requests
     */
    Targets(Adapter adapter, Peers peers, Runnable settle) {
        this.adapter = adapter;
        this.peers = peers;
        this.settle = settle;
    }

    CompletableFuture<ProviderTarget> importQueue(
            JettyDescriptor descriptor, @Nullable Token token, long deadlineNanos) {
        String what = descriptor.kind() + " " + descriptor.id();
        ControlChecks.token(what, descriptor.policy(), token);
        Optional<UdmaEndpoint> endpoint = UdmaEndpoint.of(what, descriptor.endpoints());
        if (endpoint.isEmpty()) {
            return CompletableFuture.completedFuture(byHand(what, descriptor, token));
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

    private UdmaTarget byHand(String what, JettyDescriptor descriptor, @Nullable Token token) {
        RoceEndpoint endpoint = RoceEndpoint.of(descriptor)
                .orElseThrow(() ->
                        new UrmaException(UrmaStatus.EINVAL, what, "has no endpoint of the kind " + UdmaEndpoint.KIND));
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
        return new UdmaTarget(this::release, settle, descriptor, endpoint.qpNumber(), handle, null, endpoint);
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
        return new UdmaTarget(this::release, settle, descriptor, number, handle, home, null);
    }

    /** The user closed a target: no work request names it any more. */
    private void release(UdmaTarget target) {
        adapter.engine().submit(() -> {
            if (!target.markClosed()) {
                return;
            }
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
