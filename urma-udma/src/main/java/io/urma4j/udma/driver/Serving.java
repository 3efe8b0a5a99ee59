package io.urma4j.udma.driver;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Measure;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.control.Inspector;
import io.urma4j.spi.support.GuessLimiter;
import io.urma4j.udma.control.Network;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.control.PeerMessage;
import io.urma4j.udma.control.PeerMessage.BindQueue;
import io.urma4j.udma.control.PeerMessage.Core;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Dispatches the requests of peers. The engine's thread. */
final class Serving {
    private final LocalContext local;
    private final Peers peers;
    private final HostDirectory directory;
    private final Exports exports;
    private final Imports imports;
    private final Queues queues;
    private final ContextEvents events;
    private final Resources resources;
    private final Adapter adapter;
    private final GuessLimiter<Network> limiter = new GuessLimiter<>(); // a greeting has proven the address

    Serving(
            LocalContext local,
            Peers peers,
            HostDirectory directory,
            Exports exports,
            Imports imports,
            Queues queues,
            ContextEvents events,
            Resources resources) {
        this.local = local;
        this.peers = peers;
        this.directory = directory;
        this.exports = exports;
        this.imports = imports;
        this.queues = queues;
        this.events = events;
        this.resources = resources;
        this.adapter = local.adapter();
    }

    void requested(Path from, long number, PeerMessage request) {
        if (peers.isClosing()) {
            refuse(from, number, UrmaStatus.ETIMEOUT, "the home is gone: it is being closed");
            return;
        }
        switch (request) {
            case Core(ControlMessage message) -> requested(from, number, message);
            case BindQueue wanted -> bindRequested(from, number, wanted);
            default -> refuse(from, number, UrmaStatus.EINVAL, "that is no request");
        }
    }

    private void requested(Path from, long number, ControlMessage message) {
        switch (message) {
            case ImportSegment m -> paced(from, number, () -> exports.importRequested(from, number, m));
            case ImportQueue m -> paced(from, number, () -> queueRequested(from, number, m));
            case Unimport m -> {
                exports.released(from, m.grant());
                answer(from, number, new Done(number));
            }
            case Revoke m -> imports.revoked(from, number, m.grant());
            case Unbind m -> {
                RcBinding binding = bondOf(m.queue());
                if (binding != null) {
                    binding.unrequested(from.peer(), number, m.partner());
                }
                answer(from, number, new Done(number));
            }
            case Lookup m -> ofThisUser(from, number, "look up names", () -> exports.lookedUp(from, number, m));
            case Inspect m -> ofThisUser(from, number, "inspect", () -> inspected(from, number, m));
            case Measure m -> ofThisUser(from, number, "measure", () -> measured(from, number, m.on()));
            default -> refuse(from, number, UrmaStatus.EINVAL, "that is no request");
        }
    }

    private void answer(Path to, long number, ControlMessage message) {
        peers.answer(to, number, message);
    }

    private void refuse(Path to, long number, UrmaStatus status, String why) {
        answer(to, number, new Refused(number, status, why));
    }

    private void paced(Path from, long number, BooleanSupplier isRight) {
        limiter.check(
                adapter.engine(),
                Network.of(from.peer().eid()),
                from::holds,
                isRight,
                () -> peers.isAwaited(from, number) && !peers.isClosing(),
                () -> refuse(
                        from,
                        number,
                        UrmaStatus.EAGAIN,
                        "limit of " + GuessLimiter.MAX_DELAYED + " delayed requests with wrong tokens reached"));
    }

    private boolean queueRequested(Path from, long number, ImportQueue wanted) {
        Importable queue = queues.importable(wanted.queue());
        if (queue == null || !queue.opens(wanted.kind(), wanted.token())) {
            local.importRefused(wanted.kind() + " with number " + wanted.queue(), from.peer());
            refuse(from, number, UrmaStatus.ENOPERM, "the home refused: wrong id or token");
            return false;
        }
        try {
            from.open();
        } catch (UrmaException e) {
            refuse(from, number, e.status(), e.reason());
            return false;
        }
        from.noteImportOfQueue();
        RcBinding binding = queue.binding();
        if (binding != null) {
            binding.imported(from.peer());
        }
        long attributes = Integer.toUnsignedLong(queue.queueKey());
        answer(from, number, new QueueGranted(number, queue.mode(), queue.orderType(), attributes));
        return true;
    }

    private void bindRequested(Path from, long number, BindQueue wanted) {
        RcBinding binding = bondOf(wanted.queue());
        if (!from.isOpen()) {
            refuse(from, number, UrmaStatus.ENOPERM, "the requesting context has imported nothing here");
        } else if (binding == null) {
            refuse(from, number, UrmaStatus.EINVAL, "no RC Jetty has the number " + wanted.queue());
        } else {
            peers.answer(from, number, binding.requested(from.peer(), number, wanted));
        }
    }

    private @Nullable RcBinding bondOf(int number) {
        Importable queue = queues.importable(number);
        return queue == null ? null : queue.binding();
    }

    /** A name brings a token, resources tell what a user does, and to measure has a cost on the data path. */
    private void ofThisUser(Path from, long number, String what, Runnable action) {
        Peer peer = from.peer();
        HostDirectory.Place place = new HostDirectory.Place(peer.address(), peer.incarnation(), peer.uasid());
        if (directory.has(place)) { // a greeting has proven the address
            action.run();
        } else {
            String who = "only processes of the same user on this host may " + what;
            refuse(from, number, UrmaStatus.ENOPERM, who);
        }
    }

    private void inspected(Path from, long number, Inspect wanted) {
        answer(from, number, Inspector.page(number, wanted, resources::list));
    }

    private void measured(Path from, long number, boolean on) {
        events.measure(on);
        answer(from, number, new Done(number));
    }
}
