package io.urma4j.udma.device;

import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.command.NamedCounter;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Connection;
import io.urma4j.udma.transport.ConnectionConfig;
import io.urma4j.udma.transport.ConnectionOwner;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Receivers;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.SendWork;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PathMtu;
import io.urma4j.udma.wire.Reassembly;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection on the card: the queues that wait for it, and its configuration. */
final class CardConnection extends Task implements ConnectionOwner, CopyWaiter {
    /** Longest wait for an acknowledgement before packets are retransmitted. */
    static final long REPEAT_NANOS = 1_000_000_000L;

    /** The card measures the silence of a peer for each queue; the connection itself never gives up. */
    private static final int NEVER_SILENT = Integer.MAX_VALUE - 1;

    private static final int ANY_PORT = 0;

    /** What all connections of a card use. */
    record Parts(
            Schedule schedule,
            CardListener listener,
            Port port,
            Memory memory,
            Receivers receivers,
            boolean predicts) {}

    private final int handle;
    private final int number;
    private final @Nullable Task only; // the queue of a connection of one queue
    private final int tag; // of that queue in events
    private final CardConnectionConfig config;
    private final Route route;
    private final long secret;
    private final Schedule schedule;
    private final CardListener listener;
    private final Connection connection;
    private final ArrayDeque<Task> waiters = new ArrayDeque<>();

    private @Nullable Reassembly reassembly;
    private @Nullable SourceWindow sources; // of device memory that is sent
    private int sourcePort; // of the peer's packets; ANY_PORT until one of a foreign peer was taken in order

    /**
     * @param number on this side: of the queue, or of the shared connection
     * @param only the queue that owns it; null if queues share it
     * @param tag of that queue
     */
    CardConnection(
            int handle,
            int number,
            @Nullable Task only,
            int tag,
            CardConnectionConfig config,
            Route route,
            Parts parts,
            long nowNanos) {
        this.handle = handle;
        this.number = number;
        this.only = only;
        this.tag = tag;
        this.config = config;
        this.route = route;
        this.secret = route.secret();
        this.sourcePort = config.urma4j() ? route.port() : ANY_PORT;
        this.schedule = parts.schedule;
        this.listener = parts.listener;
        this.connection = new Connection(
                agreed(parts.predicts), route, parts.port, parts.memory, parts.receivers, this, nowNanos);
    }

    private ConnectionConfig agreed(boolean predicts) {
        var kind = isShared() ? ConnectionConfig.Kind.SHARED : ConnectionConfig.Kind.RELIABLE_CONNECTED;
        var agreed = ConnectionConfig.builder(kind, number, config.remoteNumber())
                .psns(config.sendPsn(), config.receivePsn())
                .mtuBytes(mtuBytes())
                .timeout(REPEAT_NANOS, NEVER_SILENT)
                .rnrRetries(config.rnrRetry())
                .reads(Math.min(config.maxReads(), ConnectionConfig.MAX_READS), config.resources())
                .windowPackets(windowPackets())
                .predicts(predicts);
        if (config.urma4j()) {
            agreed.selective();
        } else {
            agreed.foreignPeer();
        }
        return agreed.build();
    }

    private int mtuBytes() {
        int allowed = config.urma4j() ? route.mtuBytes() : PathMtu.ofRoce(route.mtuBytes());
        int most = config.mtuBytes();
        return most == CardConnectionConfig.ANY_MTU ? allowed : Math.min(most, allowed);
    }

    private int windowPackets() {
        int wanted = config.windowPackets();
        return wanted == CardConnectionConfig.USUAL_WINDOW ? ConnectionConfig.USUAL_WINDOW_PACKETS : wanted;
    }

    int handle() {
        return handle;
    }

    /** Device memory that its requests send. */
    SourceWindow sources(CopyPort copies) {
        if (sources == null) {
            sources = new SourceWindow(copies);
        }
        return sources;
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

    /** Whether all RM queues use it, and not one RC queue. */
    boolean isShared() {
        return only == null;
    }

    Connection connection() {
        return connection;
    }

    // ---- what queues do with it

    /** No request can start any more: the connection has failed, or its peer is gone. */
    boolean isLost() {
        return connection.state() != Connection.State.OPEN;
    }

    boolean mayStart(SendWork queue, long position) {
        return connection.mayStart(queue, position);
    }

    void start(SendWork queue, long position, int remoteQueue, boolean startsAnew) {
        connection.start(queue, position, named(remoteQueue), startsAnew);
        schedule.connections.add(this);
    }

    private int named(int remoteQueue) {
        return isShared() ? remoteQueue : config.remoteNumber();
    }

    /** Whether a request may take the short way of {@link #startAndSend}. */
    boolean isQuiet() {
        return waiters.isEmpty() && connection.isQuiet();
    }

    /** Starts a request of a quiet connection, and sends it. */
    void startAndSend(SendWork queue, long position, int remoteQueue, boolean startsAnew, long nowNanos) {
        if (connection.startAndSend(queue, position, named(remoteQueue), startsAnew, nowNanos)) {
            schedule.connections.add(this);
        }
        schedule.deadlines.set(this, connection.deadlineNanos());
    }

    /** The queue becomes ready when there is space again. */
    void awaitRoom(Task queue) {
        if (!waiters.contains(queue)) {
            waiters.addLast(queue);
        }
    }

    /** The queue no longer waits for its requests in progress; none of their results is reported. */
    void abandon(SendWork queue, long nowNanos) {
        if (isShared()) {
            connection.abandon(queue, WorkStatus.WR_FLUSH_ERR);
            schedule.connections.add(this);
        } else {
            connection.fail(WorkStatus.WR_FLUSH_ERR, nowNanos);
        }
    }

    /** The same if the peer is silent, and may answer later. */
    void pause(SendWork queue, long nowNanos) {
        if (isShared()) {
            abandon(queue, nowNanos);
        } else {
            connection.pause(nowNanos);
        }
    }

    void forget(Task queue) {
        waiters.remove(queue);
    }

    long lastHeardNanos() {
        return connection.lastHeardNanos();
    }

    long silentSinceNanos() {
        return connection.silentSinceNanos();
    }

    long lastProgressNanos() {
        return connection.lastProgressNanos();
    }

    /** Resumes a connection that has failed for a receiver that was not ready, or for a silent peer. */
    void resume() {
        if (connection.resume()) {
            schedule.connections.add(this);
        }
    }

    // ---- packets and steps

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

    void receive(Packet packet, Source origin, boolean isDelayed, long nowNanos) {
        long before = connection.progress();
        connection.receive(packet, nowNanos, isDelayed);
        if (sourcePort == ANY_PORT && connection.progress() != before) {
            sourcePort = origin.port();
        }
        schedule.connections.add(this);
    }

    /** Whether its peer may send fragments: only urma4j peers do. */
    boolean takesFragments() {
        return config.urma4j();
    }

    /** Its packets that arrive in fragments. */
    Reassembly reassembly() {
        if (reassembly == null) {
            reassembly = new Reassembly(Math.max(mtuBytes(), PathMtu.LARGEST_OF_ROCE)); // of a bundle, too
        }
        return reassembly;
    }

    /** Whether its next packet waits for bytes from a device of this host. */
    boolean awaitsCopy() {
        return sources != null && sources.isAwaited();
    }

    /** Sends what may be sent. */
    @Override
    boolean step(long nowNanos, FlushHint hint) {
        if (hint == FlushHint.HOLD_REQUESTS_AND_ACKS && waiters.isEmpty() && connection.merelyAcknowledges()) {
            schedule.connections.addToNextStep(this);
            return false;
        }
        boolean more = connection.step(nowNanos, hint);
        if (hint != FlushHint.FLUSH && connection.hasLeft()) {
            schedule.connections.addToNextStep(this);
        }
        schedule.deadlines.set(this, connection.deadlineNanos());
        wakeWaiters();
        return more;
    }

    @Override
    void due(long nowNanos) {
        wake();
    }

    @Override
    public void copyEnded() {
        wake();
    }

    /** It is run in the next step. */
    void wake() {
        schedule.connections.add(this);
    }

    @Override
    public void failed(Connection failed, int status, long nowNanos) {
        if (only != null) {
            schedule.queues.add(only);
        }
    }

    @Override
    public void refused(Connection refusing, int syndrome, long nowNanos) {
        if (only != null) {
            listener.requestRefused(tag, refusal(syndrome));
        }
    }

    private static Refusal refusal(int syndrome) {
        return switch (syndrome) {
            case Aeth.NAK_INVALID_REQUEST -> Refusal.INVALID_REQUEST;
            case Aeth.NAK_REMOTE_ACCESS, Aeth.NAK_VALUE_ACCESS -> Refusal.REMOTE_ACCESS;
            default -> Refusal.OPERATION;
        };
    }

    void close() {
        connection.close();
        schedule.deadlines.cancel(this);
        wakeWaiters();
    }

    private void wakeWaiters() {
        while (!waiters.isEmpty()) {
            schedule.queues.add(waiters.removeFirst());
        }
    }

    ConnectionStats stats() {
        List<NamedCounter> counters = new ArrayList<>();
        connection.forEachCounter((name, value) -> counters.add(new NamedCounter(name, value)));
        return new ConnectionStats(number, connection.state() == Connection.State.OPEN, counters);
    }
}
