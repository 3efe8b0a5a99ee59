package io.urma4j.udma.transport;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes messages of work requests. A READ is cut into several, so that its responses fit the receive buffer (WIRE §0.8) and the
 * queues of the network. A WRITE on a shared connection is cut into messages of one packet. Packets of one length leave and
 * arrive in runs; the first packet of a longer message has a RETH, so it would end each run. The first pieces are cut at once.
 * Each other one is cut when nothing else is left to send, one of each such request in turn, so that other queues come between.
 */
final class Segmenter {
    /** Of a WRITE; the next work request of its queue need not wait for its last piece then. */
    private static final int PIECES_AT_ONCE = 32;

    /** With fewer READs at once than this, each takes all of the budget. */
    private static final int READS_TO_SHARE_BUDGET = 4;

    /**
     * A window has so many pieces of READs at least, so that answers come in small groups, each when an earlier one lets its
     * request out. A piece is one burst of the responder, and a burst that is longer than a queue on the way overflows it.
     */
    private static final int READS_IN_A_WINDOW = 8;

    /** A piece has so many packets however small the window, unless the window is smaller still. */
    private static final int SMALL_READ_PACKETS = 4;

    private final InFlight inFlight;
    private final CongestionControl congestion;
    private final boolean isShared;
    private final boolean peerIsOurs;
    private final int mtuBytes;
    private final int maxReads;
    private final int readsInAWindow;
    private final long longestReadBytes;
    private final int maxMessages;

    private final List<Request> uncut = new ArrayList<>();
    private final List<Request> unused = new ArrayList<>();
    private int resource;

    Segmenter(ConnectionConfig config, InFlight inFlight, CongestionControl congestion) {
        this.inFlight = inFlight;
        this.congestion = congestion;
        this.isShared = config.isShared();
        this.peerIsOurs = config.peerIsOurs();
        this.mtuBytes = config.mtuBytes();
        this.maxReads = config.maxReadsOut();
        this.maxMessages = 2 * config.windowPackets();
        int share = config.maxReadsOut() >= READS_TO_SHARE_BUDGET
                ? config.readBudgetBytes() / READS_TO_SHARE_BUDGET
                : config.readBudgetBytes();
        int longest = mtuBytes * (ConnectionConfig.MAX_WINDOW_PACKETS / 2);
        this.longestReadBytes = Math.max(mtuBytes, Math.min(share, longest) / mtuBytes * mtuBytes);
        this.readsInAWindow = Math.clamp(maxReads, 1, READS_IN_A_WINDOW);
    }

    /** Whether a work request of that queue may be started: there is room, and nothing that it would overtake. */
    boolean mayStart(SendWork work) {
        return inFlight.size() + uncut.size() < maxMessages && (uncut.isEmpty() || mayPassTheUncut(work));
    }

    private boolean mayPassTheUncut(SendWork work) {
        if (!isShared) {
            return false;
        }
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
        do {
            cut(request);
        } while (!request.isCut && !request.isRead() && ++pieces < PIECES_AT_ONCE);
        if (!request.isCut) {
            uncut.add(request);
        }
    }

    /** A peer that is not urma4j knows what RoCE knows, and nothing else. */
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

    /** Cuts off a piece of a long request, if one is due. */
    void cutNext() {
        if (uncut.isEmpty()) {
            return;
        }
        resource = resource < uncut.size() ? resource : 0;
        Request request = uncut.get(resource);
        cut(request);
        if (request.isCut) {
            uncut.remove(resource);
        } else {
            resource++;
        }
    }

    private void cut(Request request) {
        long rest = request.lengthBytes - request.cutBytes;
        long piece = Math.min(rest, pieceBytes(request));
        request.isCut = piece == rest;
        inFlight.append().begin(request, request.cutBytes, piece, packets(request, piece), request.isCut);
        request.cutBytes += piece;
        request.open++;
    }

    private long pieceBytes(Request request) {
        if (request.hasFailed()) {
            return Long.MAX_VALUE;
        }
        return switch (request.opcode) {
            case WorkOpcode.READ -> readPieceBytes();
            case WorkOpcode.WRITE, WorkOpcode.WRITE_NOTIFY -> isShared ? mtuBytes : Long.MAX_VALUE;
            default -> Long.MAX_VALUE; // of a message, or an immediate, the receiver is told the length
        };
    }

    private long readPieceBytes() {
        int window = congestion.windowPackets();
        int packets = Math.max(window / readsInAWindow, Math.min(window, SMALL_READ_PACKETS));
        return Math.min(longestReadBytes, (long) packets * mtuBytes);
    }

    private int packets(Request request, long pieceBytes) {
        if (request.hasFailed() || request.opcode == WorkOpcode.NOP) {
            return 0;
        }
        return WorkOpcode.isAtomic(request.opcode) ? 1 : packets(pieceBytes, mtuBytes);
    }

    /** At least one: also nothing takes a packet. */
    static int packets(long lengthBytes, int mtuBytes) {
        return (int) Math.max(1, (lengthBytes + mtuBytes - 1) / mtuBytes);
    }

    /** The request will not succeed: no more is cut off from it. */
    void stop(Request request) {
        if (!request.isCut) {
            request.isCut = true;
            uncut.remove(request);
        }
    }

    boolean isEmpty() {
        return uncut.isEmpty();
    }

    /** What is between two pieces ends with that status. */
    void endAll(int status) {
        while (!uncut.isEmpty()) {
            Request request = uncut.removeFirst();
            request.isCut = true;
            if (request.open == 0) {
                request.fail(status);
                request.end();
                reuse(request);
            }
        }
    }

    /** The same for one queue. */
    void abandon(SendWork work, int status) {
        for (int i = uncut.size() - 1; i >= 0; i--) {
            Request request = uncut.get(i);
            if (request.isOf(work)) {
                uncut.remove(i);
                request.isCut = true;
                request.fail(status);
                request.end();
                reuse(request);
            }
        }
    }

    /** The request has ended and was told. */
    void reuse(Request request) {
        unused.add(request);
    }
}
