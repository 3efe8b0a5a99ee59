package io.urma4j.udma.device;

import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.command.NamedCounter;
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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection on the card: its place in the ready list, the queues that wait for it, and its configuration. */
final class CardConnection extends Timed implements ConnectionOwner {
    /** Longest wait for an acknowledgement before packets are retransmitted. */
    static final long REPEAT_NANOS = 1_000_000_000L;

    /** The card measures the silence of a peer for each queue; the connection itself never gives up. */
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

    /** Whether it is on the card's ready list. */
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

    /** No request can start any more: the connection has failed, or its peer is gone. */
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

    /** The queue becomes ready when there is space again. */
    void awaitRoom(SendQueue queue) {
        if (!waiters.contains(queue)) {
            waiters.addLast(queue);
        }
    }

    /** The queue no longer waits for its requests in progress; none of their results is reported. */
    void abandon(SendQueue queue) {
        if (only == null) {
            connection.abandon(queue, WorkStatus.WR_FLUSH_ERR);
            board.ready(this);
        } else {
            connection.fail(WorkStatus.WR_FLUSH_ERR, board.nowNanos);
        }
    }

    /** The same if the peer is silent, and may answer later. */
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

    /** Resumes a connection that has failed for a receiver that was not ready, or for a silent peer. */
    void resume() {
        if (connection.resume()) {
            board.ready(this);
        }
    }

    // ---- the crank

    /** The secret in the ICRC of each packet of this connection; that of RoCE if the peer is foreign. */
    long secret() {
        return secret;
    }

    /** Whether the peer has sent a packet: its source is the peer's, and its ICRC has the peer's secret. */
    boolean isFrom(Source origin) {
        return isAt(origin) && origin.secret() == secret();
    }

    /**
     * Whether a packet came from the peer's address and port; without the port, any local user could impersonate any peer
     * on its host. The port of a foreign peer is that of its first packet in order.
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

    /** Sends what may be sent; true if there is more. */
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

    ConnectionStats stats() {
        List<NamedCounter> counters = new ArrayList<>();
        connection.forEachCounter((name, value) -> counters.add(new NamedCounter(name, value)));
        return new ConnectionStats(number, connection.state() == Connection.State.OPEN, counters);
    }
}
