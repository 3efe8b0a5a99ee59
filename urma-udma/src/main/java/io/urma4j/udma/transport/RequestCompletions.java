package io.urma4j.udma.transport;

import io.urma4j.udma.ring.WorkStatus;

/** Ends the requests of a requester, in the order in which they were started, and cuts off what is not sent any more. */
final class RequestCompletions {
    private final InFlight inFlight;
    private final Segmenter segmenter;
    private final PsnWindow psns;
    private final boolean isShared;

    RequestCompletions(InFlight inFlight, Segmenter segmenter, PsnWindow psns, boolean isShared) {
        this.inFlight = inFlight;
        this.segmenter = segmenter;
        this.psns = psns;
        this.isShared = isShared;
    }

    /**
     * Ends the messages that are acknowledged.
     *
     * @return the status of a request that has failed, and the connection of its only queue with it; else SUCCESS
     */
    int endAcknowledged() {
        WireMessage oldest = inFlight.head();
        while (oldest != null && inFlight.isHeadNumbered() && oldest.endPsn() <= psns.unacked()) {
            int status = endHead(oldest.request());
            if (status != WorkStatus.SUCCESS && !isShared) {
                return status;
            }
            oldest = inFlight.head();
        }
        return WorkStatus.SUCCESS;
    }

    /** Ends the oldest message; the status of its request if that has ended, else SUCCESS. */
    private int endHead(Request request) {
        inFlight.removeHead();
        request.open--;
        if (request.hasFailed()) {
            segmenter.stop(request);
        }
        if (!request.isOver()) {
            return WorkStatus.SUCCESS;
        }
        int status = request.status;
        segmenter.end(request);
        return status;
    }

    /**
     * Ends every request with the status it has failed with, or with that one. On a connection of one queue, those behind the
     * first one are flushed.
     */
    void endAll(int status) {
        int current = status;
        for (WireMessage message = inFlight.head(); message != null; message = inFlight.head()) {
            Request request = message.request();
            inFlight.removeHead();
            request.open--;
            segmenter.stop(request);
            if (request.isOver()) {
                request.fail(current);
                current = isShared ? status : WorkStatus.WR_FLUSH_ERR;
                segmenter.end(request);
            }
        }
        segmenter.endAll(current);
    }

    /** The queue abandons what it has started: its requests end now, in order. */
    void abandon(SendWork work, int status) {
        for (int i = 0; i < inFlight.size(); i++) {
            WireMessage message = inFlight.get(i);
            Request request = message.request();
            if (request.isOf(work)) {
                cutOff(message, i < inFlight.numbered());
                abandon(request, status);
            }
        }
        segmenter.abandon(work, status);
    }

    private void abandon(Request request, int status) {
        segmenter.stop(request);
        if (!request.isAbandoned) {
            request.fail(status);
            request.abandon();
        }
    }

    /** The payload of the message at the cursor is gone, on a shared connection. */
    void cutOffCurrent(WireMessage message) {
        cutOff(message, true);
    }

    /** The local payload is gone: send nothing, or just enough to end the message at the responder. */
    private void cutOff(WireMessage message, boolean isNumbered) {
        int sent = isNumbered ? (int) Math.min(message.packets, psns.end() - message.firstPsn) : 0;
        message.isUncertain = sent > 0;
        message.packets = sent == 0 ? 0 : Math.min(message.packets, sent + 1); // one more ends it
    }

    /** The responder of a shared connection has refused a message: its other packets are never sent. */
    void cutShort(WireMessage message) {
        message.isRefused = true;
        segmenter.stop(message.request());
        if (message.endPsn() > psns.end()) {
            message.packets = (int) (psns.end() - message.firstPsn);
            if (inFlight.cursor() == message && psns.isNextNew()) {
                inFlight.advance();
            }
        }
    }

    /** The local payload of the message at the cursor is gone, on a connection of one queue: its other packets are never sent. */
    void cutCurrent(WireMessage message) {
        message.packets = (int) (psns.end() - message.firstPsn);
        inFlight.advance();
    }
}
