package io.urma4j.udma.transport;

import io.urma4j.udma.transport.Traffic.Event;

/**
 * The short way of a request on a quiet connection: header prediction, sending. Nothing is in flight, missing, held or
 * marked, so most questions of a step have known answers: no window is full, no answer is lost, and nothing coalesces. The
 * request starts and its packet leaves in one call, with an acknowledgement if one is due.
 *
 * <p>As with {@link HeaderPrediction}, nothing is remembered, and packets, results and state are those of the general way.
 */
public final class RequestPrediction {
    private final Connection connection;
    private final boolean predicts;
    private final Requester requester;
    private final Responder responder;
    private final Traffic traffic;
    private final CongestionNotices notices;

    RequestPrediction(
            Connection connection,
            ConnectionConfig config,
            Requester requester,
            Responder responder,
            Traffic traffic,
            CongestionNotices notices) {
        this.connection = connection;
        this.predicts = config.predicts();
        this.requester = requester;
        this.responder = responder;
        this.traffic = traffic;
        this.notices = notices;
    }

    /** Whether the connection is open, predicts, and has nothing to do but to acknowledge. */
    public boolean isQuiet() {
        return predicts
                && connection.state() == Connection.State.OPEN
                && requester.isSilent()
                && !requester.isCoalescing()
                && !notices.isDue()
                && !responder.isPlacing();
    }

    /**
     * The same as {@link Connection#start} and a {@link Connection#step} that leaves nothing for later, of a connection that
     * {@link #isQuiet}.
     *
     * @return true if another step would send more: at once, or when the port has space
     */
    public boolean startAndSend(SendWork work, long position, int remoteQueue, boolean startsAnew, long nowNanos) {
        assert requester.isInOrder(nowNanos) : "something is missing, and nothing is in flight";
        requester.start(work, position, remoteQueue, startsAnew);
        requester.runTimers(nowNanos);
        InFlight inFlight = requester.inFlight();
        WireMessage first = inFlight.get(0);
        boolean hasMoreRequests = false;
        if (first.packets == 1 && first.isWholeRequest()) {
            inFlight.number(requester.end());
            hasMoreRequests = !requester.send(first, nowNanos);
        }
        if (inFlight.cursor() == null) {
            traffic.add(Event.SENT_AT_ONCE);
        } else if (!hasMoreRequests) { // it is long, or has failed
            hasMoreRequests = requester.transmit(nowNanos, Connection.BURST_PACKETS, false);
        }
        boolean hasMoreAnswers = responder.answer(Connection.BURST_PACKETS, false, nowNanos);
        return connection.state() == Connection.State.OPEN && (hasMoreAnswers || hasMoreRequests);
    }
}
