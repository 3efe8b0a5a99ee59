package io.urma4j.shm.control;

import io.urma4j.Resource;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Measure;
import io.urma4j.spi.control.ControlMessage.Notice;
import io.urma4j.spi.control.ControlMessage.OpenBounce;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.OpenShared;
import io.urma4j.spi.control.ControlMessage.OpenWindowTable;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.control.Inspector;
import io.urma4j.spi.control.Publisher;
import io.urma4j.spi.support.GuessLimiter;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Dispatches the messages of peers, and the events of their lives. On the engine's thread. */
final class Serving {
    private final Engine engine;
    private final Requests requests;
    private final Exports exports;
    private final Publisher publisher;
    private final Imports imports;
    private final Paths paths;
    private final Bounces bounces;
    private final DataPlane dataPlane;
    private final ContextEvents events;
    private final GuessLimiter<Integer> limiter = new GuessLimiter<>();
    private boolean closing;

    Serving(
            Engine engine,
            Requests requests,
            Exports exports,
            Publisher publisher,
            Imports imports,
            Paths paths,
            Bounces bounces,
            DataPlane dataPlane,
            ContextEvents events) {
        this.events = events;
        this.engine = engine;
        this.requests = requests;
        this.exports = exports;
        this.publisher = publisher;
        this.imports = imports;
        this.paths = paths;
        this.bounces = bounces;
        this.dataPlane = dataPlane;
    }

    /** Reports no more peers to the data plane: its context ends. */
    void close() {
        closing = true;
    }

    /** A peer that has greeted is what it claims to be: the lock of its UASID names it. */
    void identified(Peer peer) {
        exports.known().identified(peer);
    }

    /** A request of a peer; descriptors that are not removed from the list are closed. */
    void requested(Peer from, Connection via, Request request, List<Fd> descriptors) {
        if (closing) {
            via.refuse(request, UrmaStatus.ETIMEOUT, "the home is gone: it is being closed");
            return;
        }
        switch (request) {
            case ImportSegment m -> paced(from, via, m, () -> exports.importRequested(from, via, m));
            case ImportQueue m -> paced(from, via, m, () -> queueRequested(from, via, m));
            case OpenWindows m -> imports.windows().requested(from, via, m, 0, descriptors);
            case OpenWindowTable m -> imports.windows().requested(from, via, m, m.table(), descriptors);
            case OpenBounce m -> bounces.requested(from, via, m, descriptors);
            case OpenShared m -> DeviceSharing.requested(from, via, m);
            case OpenPath m -> paths.requested(from, via, m, descriptors);
            case Bind m -> {
                UrmaStatus status = dataPlane.bindRequested(
                        from, m.queue(), m.partner(), m.orderType().value());
                if (status == UrmaStatus.SUCCESS) {
                    via.send(new Done(m.request()));
                } else {
                    via.refuse(m, status, "the peer refused to bind its Jetty " + m.queue());
                }
            }
            case Unbind m -> {
                dataPlane.unbindRequested(from, m.queue(), m.partner());
                via.send(new Done(m.request()));
            }
            case Lookup m -> via.send(publisher.lookedUp(m.request(), m));
            case Inspect m -> via.send(Inspector.page(m.request(), m, this::resources));
            case Measure m -> {
                events.measure(m.on());
                via.send(new Done(m.request()));
            }
        }
    }

    private List<Resource> resources(Resource.Kind kind, long after, int limit) {
        return kind == Resource.Kind.TP || kind == Resource.Kind.WAIT
                ? dataPlane.resources(kind, after, limit)
                : events.resources(kind, after, limit);
    }

    private void paced(Peer from, Connection via, Request request, BooleanSupplier isRight) {
        limiter.check(
                engine,
                from.pid(),
                from::importsFromUs,
                isRight,
                () -> !via.isClosed() && !closing,
                // no reason to end the connection: processes of other PID namespaces have one number, 0
                () -> via.refuse(
                        request,
                        UrmaStatus.EAGAIN,
                        "limit of " + GuessLimiter.MAX_DELAYED + " delayed requests with wrong tokens reached"));
    }

    private boolean queueRequested(Peer from, Connection via, ImportQueue m) {
        int token = m.token() == null ? 0 : m.token().value();
        QueueAnswer answer = dataPlane.queueRequested(from, m.queue(), m.kind(), token, m.token() != null);
        if (answer.status() == UrmaStatus.SUCCESS) {
            from.importedQueue = true;
            via.send(new QueueGranted(m.request(), answer.mode(), answer.orderType(), answer.attributes()));
            return true;
        }
        exports.refused(from, m.kind() + " " + m.queue());
        via.refuse(m, answer.status(), "the home refused: wrong id or token");
        return false;
    }

    void answered(Peer from, Connection via, Answer answer, List<Fd> descriptors) {
        boolean wanted = requests.answered(from, via, answer, descriptors);
        if (!wanted && answer instanceof SegmentGranted late) {
            imports.giveBack(from, late.grant());
        }
    }

    /** An answer has lost its descriptor, because this process may open no more. */
    void answeredInPart(Peer from, Connection via, Answer answer, String why) {
        UrmaException loss = new UrmaException(UrmaStatus.ENOMEM, from, why);
        if (answer instanceof PathOpened) {
            requests.answeredInPart(from, via, answer, loss); // the home has its end of the path
            return;
        }
        requests.failed(via, answer, loss);
        if (answer instanceof SegmentGranted unusable) {
            imports.giveBack(from, unusable.grant());
        }
    }

    void noticed(Peer from, Connection via, Notice notice) {
        boolean asksUs = via == from.incoming;
        switch (notice) {
            case Revoke m when !asksUs -> imports.revoked(from, via, m.grant());
            case Revoked m when asksUs -> exports.released(from, m.grant());
            case Unimport m when asksUs -> exports.released(from, m.grant());
            default -> via.end("it sent an unexpected " + notice.getClass().getSimpleName());
        }
    }

    /** A peer is lost; its connections are closed. Called once, before the two below. */
    void lost(Peer peer, String why) {
        peer.mattered = peer.matters();
        if (peer.incoming != null) {
            requests.lost(peer, peer.incoming, why);
        }
        if (peer.outgoing != null) {
            requests.lost(peer, peer.outgoing, why);
        }
        paths.lost(peer, why);
        imports.homeLost(peer, why);
        imports.windows().homeLost(peer);
        Bounces.lost(peer);
    }

    /**
     * The proof of its end is known, or could not be obtained at once. Called once.
     *
     * @param proven it no longer touches memory of this context
     */
    void judged(Peer peer, String why, boolean proven) {
        if (peer.mattered && !closing) {
            dataPlane.peerLost(peer, why, proven);
        }
    }

    /** Whether windows are granted to a peer by its identity, which end with it. */
    boolean hasWindows(Peer peer) {
        return exports.known().hasWindows(peer);
    }

    /** A lost peer no longer touches memory of this context. Called at most once. */
    void proven(Peer peer) {
        exports.importerGone(peer);
        imports.windows().importerGone(peer);
        exports.known().gone(peer);
    }

    /** A lost peer held nothing, so its end needs no proof: it may live. Called at most once, in place of {@link #proven}. */
    void dropped(Peer peer) {
        imports.windows().importerGone(peer);
        exports.known().dropped(peer);
    }
}
