package io.urma4j.udma.transport;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits work requests into messages, and ends them in the order in which they were started.
 *
 * <p>A READ is split so that its responses fit the receive buffer (WIRE §0.8) and the queues of the network. A WRITE on a
 * shared connection is split into messages of one packet. Packets of equal length leave and arrive in runs; the first packet
 * of a longer message has a RETH, so it would end each run.
 *
 * <p>The first pieces are created at once. Each other one is created when nothing else is left to send, round robin between
 * such requests, so that other queues get their share.
 */
final class Segmenter {
    /** Of a WRITE; the next work request of its queue need not wait for its last piece then. */
    private static final int PIECES_AT_ONCE = 32;

    /** With fewer READs at once than this, each uses the whole budget. */
    private static final int READS_TO_SHARE_BUDGET = 4;

    /**
     * Minimum READ pieces per window, so that responses arrive in small groups, each released by an earlier one. A piece is
     * one burst of the responder, and a burst longer than a queue on the path overflows it.
     */
    private static final int READS_IN_A_WINDOW = 8;

    /** Minimum packets of a piece, unless the window is smaller. */
    private static final int SMALL_READ_PACKETS = 4;

    private final InFlight inFlight;
    private final PsnWindow psns;
    private final CongestionControl congestion;
    private final boolean isShared;
    private final boolean peerIsOurs;
    private final int mtuBytes;
    private final int maxReads;
    private final int readsInAWindow;
    private final long readShareBytes;
    private final long longestReadBytes;
    private final int maxMessages;

    private final List<Request> uncut = new ArrayList<>();
    private final List<Request> unused = new ArrayList<>();
    private int resource;

    Segmenter(ConnectionConfig config, InFlight inFlight, PsnWindow psns, CongestionControl congestion) {
        this.inFlight = inFlight;
        this.psns = psns;
        this.congestion = congestion;
        this.isShared = config.isShared();
        this.peerIsOurs = config.peerIsOurs();
        this.mtuBytes = config.mtuBytes();
        this.maxReads = config.maxReadsOut();
        this.maxMessages = 2 * config.windowPackets();
        int share = config.maxReadsOut() >= READS_TO_SHARE_BUDGET
                ? config.readBudgetBytes() / READS_TO_SHARE_BUDGET
                : config.readBudgetBytes();
        int longest = mtuBytes * (ConnectionConfig.MAX_WINDOW_PACKETS / 2); // the window has the other half
        this.readShareBytes = Math.clamp(share, mtuBytes, longest);
        this.longestReadBytes = readShareBytes / mtuBytes * mtuBytes; // all but the last piece are whole packets
        this.readsInAWindow = Math.clamp(maxReads, 1, READS_IN_A_WINDOW);
    }

    /** Whether a work request of that queue may start: there is space, and it would overtake none. */
    boolean mayStart(SendWork work) {
        return inFlight.size() + uncut.size() < maxMessages && (uncut.isEmpty() || mayPassTheUncut(work));
    }

    private boolean mayPassTheUncut(SendWork work) {
        for (int i = 0; i < uncut.size(); i++) {
            if (uncut.get(i).isOf(work)) {
                return false;
            }
        }
        return true;
    }

    void start(SendWork work, long position, int remoteQueue, boolean startsAnew) {
        Request request = unused.isEmpty() ? new Request() : unused.removeLast();
        request.start(work, position, remoteQueue, startsAnew);
        if (!isPossible(request)) {
            request.fail(WorkStatus.UNSUPPORTED_OPCODE_ERR);
        }
        int pieces = 0;
        while (pieces++ < PIECES_AT_ONCE && mayCut(request) && !request.isCut) {
            cut(request);
            pieces = request.isRead() ? PIECES_AT_ONCE : pieces;
        }
        if (!request.isCut) {
            uncut.add(request);
        }
    }

    /** What a READ requests must find space when it arrives. */
    private static boolean mayCut(Request request) {
        return !request.isRead() || request.hasFailed() || request.work().admits(request.position);
    }

    /** A foreign peer knows only RoCE. */
    private boolean isPossible(Request request) {
        if (request.isAnswered() && maxReads == 0) {
            return false;
        }
        return switch (request.opcode) {
            case WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.SEND, WorkOpcode.SEND_INVALIDATE, WorkOpcode.NOP -> true;
            case WorkOpcode.SEND_IMM, WorkOpcode.WRITE_IMM -> peerIsOurs || request.operand() >>> Integer.SIZE == 0;
            case WorkOpcode.CAS, WorkOpcode.FADD -> request.lengthBytes == Long.BYTES || isOurAtomic(request);
            case WorkOpcode.SWAP, WorkOpcode.FSUB, WorkOpcode.FAND, WorkOpcode.FOR, WorkOpcode.FXOR ->
                isOurAtomic(request);
            case WorkOpcode.WRITE_NOTIFY -> peerIsOurs;
            default -> false;
        };
    }

    private boolean isOurAtomic(Request request) {
        return peerIsOurs && (request.lengthBytes == Long.BYTES || request.lengthBytes == Integer.BYTES);
    }

    /** Creates the next piece of a long request, if one is due. */
    void cutNext() {
        for (int left = uncut.size(); left > 0; left--) {
            resource = resource < uncut.size() ? resource : 0;
            Request request = uncut.get(resource);
            if (mayCut(request)) {
                cut(request);
                if (request.isCut) {
                    uncut.remove(request);
                } else {
                    resource++;
                }
                return;
            }
            resource++;
        }
    }

    private void cut(Request request) {
        long rest = request.lengthBytes - request.cutBytes;
        long piece = Math.min(rest, pieceBytes(request, rest));
        request.isCut = piece == rest;
        inFlight.append().begin(request, request.cutBytes, piece, packets(request, piece), request.isCut);
        request.cutBytes += piece;
        request.open++;
    }

    private long pieceBytes(Request request, long rest) {
        if (request.hasFailed()) {
            return Long.MAX_VALUE;
        }
        return switch (request.opcode) {
            case WorkOpcode.READ -> readPieceBytes(rest);
            case WorkOpcode.WRITE, WorkOpcode.WRITE_NOTIFY -> isShared ? mtuBytes : Long.MAX_VALUE;
            default -> Long.MAX_VALUE; // the record of a message, or an immediate, holds the length
        };
    }

    private long readPieceBytes(long rest) {
        int window = congestion.windowPackets();
        int packets = Math.max(window / readsInAWindow, Math.min(window, SMALL_READ_PACKETS));
        return Math.min(rest <= readShareBytes ? rest : longestReadBytes, (long) packets * mtuBytes);
    }

    private int packets(Request request, long pieceBytes) {
        if (request.hasFailed() || request.opcode == WorkOpcode.NOP) {
            return 0;
        }
        return packets(pieceBytes, mtuBytes);
    }

    /** At least one: an empty message also takes a packet. */
    static int packets(long lengthBytes, int mtuBytes) {
        return (int) Math.max(1, (lengthBytes + mtuBytes - 1) / mtuBytes);
    }

    boolean isEmpty() {
        return uncut.isEmpty();
    }

    // ---- the end of requests

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
            stop(request);
        }
        if (!request.isOver()) {
            return WorkStatus.SUCCESS;
        }
        int status = request.status;
        end(request);
        return status;
    }

    /** The request will not succeed: no more pieces are created from it. */
    private void stop(Request request) {
        if (!request.isCut) {
            request.isCut = true;
            uncut.remove(request);
        }
    }

    /** Reports a request that has ended. */
    private void end(Request request) {
        request.end();
        unused.add(request);
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
            stop(request);
            if (request.isOver()) {
                request.fail(current);
                current = isShared ? status : WorkStatus.WR_FLUSH_ERR;
                end(request);
            }
        }
        while (!uncut.isEmpty()) { // between two pieces
            endUnsent(uncut.getFirst(), current);
        }
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
        for (int i = uncut.size() - 1; i >= 0; i--) {
            if (uncut.get(i).isOf(work)) {
                endUnsent(uncut.get(i), status);
            }
        }
    }

    private void abandon(Request request, int status) {
        stop(request);
        if (!request.isAbandoned) {
            request.fail(status);
            request.abandon();
        }
    }

    /** No message of the request is in flight. */
    private void endUnsent(Request request, int status) {
        assert request.open == 0 : request;
        stop(request);
        request.fail(status);
        end(request);
    }

    // ---- messages that are not sent any more

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
        stop(message.request());
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
