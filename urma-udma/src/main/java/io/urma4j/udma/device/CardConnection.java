package io.urma4j.udma.device;

import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Connection;
import io.urma4j.udma.transport.ConnectionConfig;
import io.urma4j.udma.transport.ConnectionOwner;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.Receivers;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A connection in its place on the card: when it has its turn, who waits for it, and what it was made of. */
final class CardConnection extends Timed implements ConnectionOwner {
    /** Longest wait for an answer before packets are sent again. */
    static final long REPEAT_NANOS = 1_000_000_000L;

    /** The card counts the silence of a peer for each queue; the connection itself never gives up. */
    private static final int NEVER_SILENT = Integer.MAX_VALUE - 1;

    private static final int ANY_PORT = 0;

    private final Board board;
    private final Receivers receivers;
    private final CardConnectionConfig config;
    private final Route route;
    private final int number;
    private final @Nullable SendQueue only; // the queue of a connection of one queue
    private final long secret;
    private int sourcePort; // of the peer's packets; ANY_PORT until one of a foreign peer was taken in order
    private final ArrayDeque<SendQueue> waiters = new ArrayDeque<>();

    /** Whether it waits in the line of the card. */
    boolean inLine;

    private final Connection connection;
    private int handle;

    /** @param number on this side: of the queue, or of the shared connection */
    CardConnection(
            Board board,
            Receivers receivers,
            CardConnectionConfig config,
            Route route,
            int number,
            @Nullable SendQueue only,
            long nowNanos) {
        this.board = board;
        this.receivers = receivers;
        this.config = config;
        this.route = route;
        this.number = number;
        this.only = only;
        this.secret = route.secret();
        this.sourcePort = config.urma4j() ? route.port() : ANY_PORT;
        this.connection = open(nowNanos);
    }

    private Connection open(long nowNanos) {
        var kind = only == null ? ConnectionConfig.Kind.SHARED : ConnectionConfig.Kind.RELIABLE_CONNECTED;
        var agreed = ConnectionConfig.builder(kind, number, config.remoteNumber())
                .psns(config.sendPsn(), config.receivePsn())
                .mtuBytes(mtuBytes())
                .timeout(REPEAT_NANOS, NEVER_SILENT)
                .rnrRetries(config.rnrRetry())
                .reads(Math.min(config.maxReads(), ConnectionConfig.MAX_READS), config.resources())
                .windowPackets(windowPackets());
        if (config.urma4j()) {
            agreed.selective();
        } else {
            agreed.foreignPeer();
        }
        return new Connection(agreed.build(), route, board.port, board.keys, receivers, this, nowNanos);
    }

    private int mtuBytes() {
        int most = config.mtuBytes();
        return most == CardConnectionConfig.ANY_MTU ? route.mtuBytes() : Math.min(most, route.mtuBytes());
    }

    private int windowPackets() {
        int wanted = config.windowPackets();
        return wanted == CardConnectionConfig.USUAL_WINDOW ? ConnectionConfig.USUAL_WINDOW_PACKETS : wanted;
    }

    void handle(int handle) {
        this.handle = handle;
    }

    int handle() {
        return handle;
    }

    int number() {
        return number;
    }

    PeerInfo peer() {
        return config.peer();
    }

    Route route() {
        return route;
    }

    CardConnectionConfig config() {
        return config;
    }

    @Nullable
    SendQueue only() {
        return only;
    }

    Connection connection() {
        return connection;
    }

    // ---- what queues do with it

    /** Nothing more can be started: it has failed, or its peer is gone. */
    boolean isLost() {
        return connection.state() != Connection.State.OPEN;
    }

    boolean mayStart(SendQueue queue, long position) {
        return connection.mayStart(queue, position);
    }

    void start(SendQueue queue, long position, int remoteQueue, boolean startsAnew) {
        connection.start(queue, position, only == null ? remoteQueue : config.remoteNumber(), startsAnew);
        board.ready(this);
    }

    /** The queue wants a turn when there is room again. */
    void awaitRoom(SendQueue queue) {
        if (!waiters.contains(queue)) {
            waiters.addLast(queue);
        }
    }

    /** The queue does not wait any more for what it has started, and has seen to it that nobody hears of it. */
    void abandon(SendQueue queue) {
        if (only == null) {
            connection.abandon(queue, WorkStatus.WR_FLUSH_ERR);
            board.ready(this);
        } else {
            connection.fail(WorkStatus.WR_FLUSH_ERR, board.nowNanos);
        }
    }

    /** The same when the peer is silent, and may answer later. */
    void pause(SendQueue queue) {
        if (only == null) {
            abandon(queue);
        } else {
            connection.pause(board.nowNanos);
        }
    }

    void forget(SendQueue queue) {
        waiters.remove(queue);
    }

    long lastHeardNanos() {
        return connection.lastHeardNanos();
    }

    long lastProgressNanos() {
        return connection.lastProgressNanos();
    }

    /** A connection that has failed for a receiver that was not ready, or a silent peer, goes on. */
    void resume() {
        if (connection.resume()) {
            board.ready(this);
        }
    }

    // ---- the crank

    /** What is mixed into the ICRC of each packet of this connection; that of RoCE where the peer is foreign. */
    long secret() {
        return secret;
    }

    /** Whether the peer has sent a packet: it came from where the peer is, and its ICRC has the peer's secret. */
    boolean isFrom(Source origin) {
        return isAt(origin) && origin.secret() == secret();
    }

    /**
     * Whether a packet came from the peer's address and from its port, without which any local user could speak in the name
     * of any peer on its host. The port of a foreign peer is that of its first packet that was taken in order.
     */
    boolean isAt(Source origin) {
        return origin.eidLow() == route.eidLow()
                && origin.eidHigh() == route.eidHigh()
                && (origin.port() == sourcePort || sourcePort == ANY_PORT);
    }

    void receive(Packet packet, Source origin, long nowNanos) {
        long before = connection.progress();
        connection.receive(packet, nowNanos, board.isLate);
        if (sourcePort == ANY_PORT && connection.progress() != before) {
            sourcePort = origin.port();
        }
        board.ready(this);
    }

    /** Sends what may be sent; true when there is more. */
    boolean step(long nowNanos) {
        if (board.hint == FlushHint.HOLD_REQUESTS_AND_ACKS && waiters.isEmpty() && connection.merelyAcknowledges()) {
            board.left(this);
            return false;
        }
        boolean more = connection.step(nowNanos, board.hint);
        if (board.hint != FlushHint.FLUSH && connection.hasLeft()) {
            board.left(this);
        }
        board.deadlines.set(this, connection.deadlineNanos());
        while (!waiters.isEmpty()) {
            waiters.removeFirst().touch();
        }
        return more;
    }

    @Override
    void due(long nowNanos) {
        board.ready(this);
    }

    @Override
    public void failed(Connection failed, int status, long nowNanos) {
        if (only != null) {
            only.touch();
        }
    }

    @Override
    public void refused(Connection refusing, int syndrome, long nowNanos) {
        if (only != null) {
            only.requestRefused(refusal(syndrome));
        }
    }

    private static Refusal refusal(int syndrome) {
        return switch (syndrome) {
            case Aeth.NAK_INVALID_REQUEST -> Refusal.INVALID_REQUEST;
            case Aeth.NAK_REMOTE_ACCESS -> Refusal.REMOTE_ACCESS;
            default -> Refusal.OPERATION;
        };
    }

    /** The peer is gone for good. */
    void lose() {
        connection.close();
        close();
    }

    void close() {
        connection.close();
        board.deadlines.cancel(this);
        while (!waiters.isEmpty()) {
            waiters.removeFirst().touch();
        }
    }
}
