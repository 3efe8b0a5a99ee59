package io.urma4j.udma.device;

import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CardState;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.NoticeStats;
import io.urma4j.udma.command.ReceiveQueueConfig;
import io.urma4j.udma.command.ReceiveStats;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.command.SendStats;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.ring.Doorbells;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.transport.Traffic;
import io.urma4j.udma.transport.Traffic.Event;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A software network card: (packet | doorbell | command | time) → (packets, completion queue elements, deadline).
 *
 * <p>For one thread at a time, by the lock of its event loop; {@link #doorbells} alone is for any thread. The driver calls
 * the commands, and the event loop the rest.
 *
 * <p>To drive it: hand it the packets that have arrived, then call {@link #step}. Commands and doorbells may leave packets
 * unsent and results unreported until then.
 */
public final class Card implements CardCommands {
    /** A turn that comes so much later than it was asked for follows a pause of our own. */
    private static final long PAUSE_NANOS = 50_000_000;

    /** For this time after a stall, input precedes timers (S12.3). */
    private static final long GRACE_NANOS = 20_000_000;

    /** Maximum rounds of a step: then the driving thread receives packets again. */
    private static final int ROUNDS = 16;

    /** When to come again when the port had no room. */
    private static final long PORT_NANOS = 50_000;

    private final Doorbells doorbells = new Doorbells();
    private final Registry registry = new Registry();
    private final Routes routes;
    private final ControlSender control;
    private final Board board;
    private final Inbound inbound;
    private final Handles<ReceiveQueue> receiveQueues = new Handles<>();
    private final Handles<Receiver> ownReceivers = new Handles<>(); // of receive queues, by their handles
    private final Handles<SendQueue> sendQueues = new Handles<>();
    private final Handles<Group> groups = new Handles<>();

    private long expectedNanos = Long.MAX_VALUE; // when the last step asked to be called again
    private long graceUntilNanos = Long.MIN_VALUE;
    private NoticeStats noticesOfEnded = new NoticeStats(0, 0); // of connections

    /** A card that leaves by a port, on the ways to peers that {@code routes} knows. */
    public Card(Port port, Routes routes, CardListener listener) {
        this(port, routes, listener, MAX_KEYS);
    }

    /** With fewer keys, for those who want to see them run out. */
    public Card(Port port, Routes routes, CardListener listener, int maxKeys) {
        this.routes = routes;
        this.control = new ControlSender(port);
        this.board = new Board(port, listener, registry, maxKeys);
        this.inbound = new Inbound(registry, listener, board.datagrams);
    }

    /** Doorbells of the send queues, by handle. */
    public Doorbells doorbells() {
        return doorbells;
    }

    // ---- the crank

    /**
     * The secret of a packet's ICRC; the caller asks for it before it passes the packet, which {@code PacketCheck} found
     * valid.
     */
    public long secretOf(Packet packet, Source origin) {
        return inbound.secretOf(packet, origin);
    }

    /**
     * Receives a packet that {@code PacketCheck} found valid. The caller owns it again afterwards.
     *
     * @param origin with the secret that verified its ICRC
     */
    public void receive(Packet packet, Source origin, long nowNanos) {
        board.nowNanos = nowNanos;
        inbound.receive(packet, origin, nowNanos);
    }

    /** Whether packets passed from now on may have waited in this host ({@link StallDetector}). */
    public void late(boolean late) {
        board.isLate = late;
    }

    /** Work requests were posted to a send queue, whose ring has their number: the queue runs in the next step. */
    public void doorbell(int queue) {
        SendQueue posted = sendQueues.find(queue);
        if (posted != null) {
            board.ready(posted);
        }
    }

    /**
     * Handles doorbells and timers, sends what may be sent, and flushes the port.
     *
     * @return the deadline of the next call, if no other call is needed before; {@code Long.MAX_VALUE} for none
     */
    public long step(long nowNanos) {
        return step(nowNanos, FlushHint.FLUSH);
    }

    /** The same, but something may be left for the next step, which the caller runs soon. */
    public long step(long nowNanos, FlushHint hint) {
        board.hint = hint;
        board.nowNanos = nowNanos;
        board.beginTurn();
        runTimers(nowNanos);
        for (int round = 0; round < ROUNDS; round++) {
            for (int queue = doorbells.answer(); queue >= 0; queue = doorbells.answer()) {
                doorbell(queue);
            }
            if (!board.hasReady() || board.port.isFull()) {
                break;
            }
            board.runReady();
        }
        board.port.flush();
        expectedNanos = board.hasReady()
                ? nowNanos + (board.port.isFull() ? PORT_NANOS : 0)
                : Math.max(board.deadlines.nextNanos(), graceUntilNanos);
        return expectedNanos;
    }

    private void runTimers(long nowNanos) {
        boolean isLate = expectedNanos != Long.MAX_VALUE && nowNanos - expectedNanos > PAUSE_NANOS;
        if (isLate && graceUntilNanos == Long.MIN_VALUE) {
            graceUntilNanos = nowNanos + GRACE_NANOS; // once: where every turn is late, timers must run all the same
        } else if (nowNanos >= graceUntilNanos) {
            graceUntilNanos = Long.MIN_VALUE;
            board.deadlines.run(nowNanos);
        }
    }

    /** Whether a step would do something at once. */
    public boolean hasWork() {
        return board.hasReady() || doorbells.areRinging() || board.hasLeft();
    }

    /** Whether something was left for the next step. */
    public boolean hasLeft() {
        return board.hasLeft();
    }

    /** Whether a completion queue is armed, so that a thread waits for its event. Any thread. */
    public boolean isAnyArmed() {
        return board.isAnyArmed();
    }

    @Override
    public long dropped() {
        return inbound.dropped();
    }

    @Override
    public NoticeStats notices() {
        NoticeStats all = noticesOfEnded;
        for (int handle = 1; handle < board.links.end(); handle++) {
            CardConnection link = board.links.find(handle);
            all = link == null ? all : plus(all, link.connection().traffic());
        }
        return all;
    }

    private static NoticeStats plus(NoticeStats notices, Traffic traffic) {
        return new NoticeStats(
                notices.sent() + traffic.count(Event.CNP_SENT), notices.handled() + traffic.count(Event.CNP_RECEIVED));
    }

    // ---- completion queues

    @Override
    public int createCq(MemorySegment ring, int depth, int moderationCount, long moderationNanos) {
        CompletionQueue cq = new CompletionQueue(board, ring, depth, moderationCount, moderationNanos);
        int handle = board.cqs.add(cq);
        cq.handle(handle);
        return handle;
    }

    @Override
    public void arm(int cq, boolean solicitedOnly) {
        board.cqs.get(cq).arm(solicitedOnly);
    }

    @Override
    public long records(int cq) {
        return board.cqs.get(cq).produced();
    }

    @Override
    public long overflows(int cq) {
        return board.cqs.get(cq).overflows();
    }

    @Override
    public void destroyCq(int cq) {
        board.cqs.get(cq).close();
        board.cqs.remove(cq);
    }

    // ---- receive queues

    @Override
    public int createReceiveQueue(ReceiveQueueConfig config) {
        int number = registry.take(config.number());
        if (number == 0) {
            return 0;
        }
        ReceiveQueue queue = new ReceiveQueue(board.listener, board.keys, config, board.cqs.get(config.cq()));
        Receiver receiver = new Receiver(registry, queue, queue.cq(), config.tag(), null);
        receiver.number(number);
        registry.receiver(number, receiver);
        ownReceivers.add(receiver);
        return receiveQueues.add(queue);
    }

    @Override
    public int receiveNumber(int receiveQueue) {
        return ownReceivers.get(receiveQueue).number();
    }

    @Override
    public void modifyReceiveQueue(int receiveQueue, int state) {
        receiveQueues.get(receiveQueue).state(state);
    }

    @Override
    public void threshold(int receiveQueue, int threshold) {
        receiveQueues.get(receiveQueue).threshold(threshold);
    }

    @Override
    public ReceiveStats receiveStats(int receiveQueue) {
        return receiveQueues.get(receiveQueue).stats();
    }

    @Override
    public void destroyReceiveQueue(int receiveQueue) {
        registry.give(receiveNumber(receiveQueue));
        receiveQueues.get(receiveQueue).close();
        receiveQueues.remove(receiveQueue);
        ownReceivers.remove(receiveQueue);
    }

    // ---- send queues

    @Override
    public int createSendQueue(SendQueueConfig config) {
        int number = registry.take(config.number());
        if (number == 0) {
            return 0;
        }
        SendQueue queue = new SendQueue(board, config, board.cqs.get(config.cq()));
        int handle = sendQueues.add(queue);
        queue.named(handle, number);
        if (config.receives() != 0) {
            Receiver receiver = receiverOf(queue, config);
            receiver.number(number);
            queue.receiver(receiver);
            registry.receiver(number, receiver);
        }
        return handle;
    }

    private Receiver receiverOf(SendQueue jetty, SendQueueConfig config) {
        ReceiveQueue receives = receiveQueues.get(config.receives());
        CompletionQueue cq = config.receiveCq() == 0 ? receives.cq() : board.cqs.get(config.receiveCq());
        cq.add(jetty);
        return new Receiver(registry, receives, cq, config.receiveTag(), jetty);
    }

    @Override
    public int sendNumber(int queue) {
        return sendQueues.get(queue).number();
    }

    /** State of the queue, a number of {@link CardState}. */
    public int sendState(int queue) {
        return sendQueues.get(queue).state().value();
    }

    @Override
    public SendStats sendStats(int queue) {
        return sendQueues.get(queue).stats();
    }

    @Override
    public List<SendWait> sendWaits(int queue) {
        return sendQueues.get(queue).waits();
    }

    @Override
    public boolean modifySendQueue(int queue, int state, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).modify(state, nowNanos);
    }

    @Override
    public void runSendQueue(int queue, long nowNanos) {
        board.nowNanos = nowNanos;
        sendQueues.get(queue).run(nowNanos);
    }

    @Override
    public int flush(int queue, long[] out, int max, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).flush(out, max, nowNanos);
    }

    @Override
    public int quiesce(int queue, long[] out, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).quiesce(out, nowNanos);
    }

    @Override
    public void destroySendQueue(int queue) {
        SendQueue closing = sendQueues.get(queue);
        CardConnection own = closing.own();
        closing.close();
        if (own != null) {
            end(own);
        }
        board.forget(closing);
        registry.give(closing.number());
        sendQueues.remove(queue);
    }

    // ---- Jetty groups

    @Override
    public int createGroup(int number, boolean byHint) {
        int taken = registry.take(number);
        if (taken == 0) {
            return 0;
        }
        Group group = new Group(taken, byHint);
        registry.group(taken, group);
        return groups.add(group);
    }

    @Override
    public int groupNumber(int group) {
        return groups.get(group).number();
    }

    @Override
    public void addMember(int group, int queue) {
        groups.get(group).add(receiverOf(queue));
    }

    @Override
    public void removeMember(int group, int queue) {
        groups.get(group).remove(receiverOf(queue));
    }

    private Receiver receiverOf(int queue) {
        Receiver receiver = sendQueues.get(queue).receiver();
        if (receiver == null) {
            throw new IllegalArgumentException("send queue " + queue + " receives nothing");
        }
        return receiver;
    }

    @Override
    public void destroyGroup(int group) {
        registry.give(groupNumber(group));
        groups.remove(group);
    }

    // ---- connections and targets

    @Override
    public int connectRc(int queue, CardConnectionConfig config, long nowNanos) {
        board.nowNanos = nowNanos;
        SendQueue owner = sendQueues.get(queue);
        Route route = routes.to(config.to());
        CardConnection link = new CardConnection(board, registry, config, route, owner.number(), owner, nowNanos);
        link.handle(board.links.add(link));
        registry.link(owner.number(), link);
        owner.connected(link);
        return link.handle();
    }

    @Override
    public void disconnectRc(int queue, long nowNanos) {
        board.nowNanos = nowNanos;
        SendQueue owner = sendQueues.get(queue);
        CardConnection link = owner.own();
        owner.disconnected(nowNanos);
        if (link != null) {
            end(link);
        }
    }

    private void end(CardConnection link) {
        link.close();
        noticesOfEnded = plus(noticesOfEnded, link.connection().traffic());
        board.forget(link);
        board.links.remove(link.handle());
        SendQueue only = link.only();
        if (only != null) {
            registry.link(only.number(), null);
        } else {
            registry.give(link.number());
        }
    }

    @Override
    public int connect(CardConnectionConfig config, long nowNanos) {
        Route route = routes.to(config.to());
        int number = registry.take(config.number());
        if (number < FIRST_CONNECTION) {
            throw new IllegalArgumentException("no connection can have the number " + config.number());
        }
        CardConnection link = new CardConnection(board, registry, config, route, number, null, nowNanos);
        link.handle(board.links.add(link));
        registry.link(number, link);
        return link.handle();
    }

    @Override
    public boolean isTaken(int number) {
        return registry.isTaken(number);
    }

    @Override
    public @Nullable ConnectionStats connectionStats(int connection) {
        CardConnection link = board.links.find(connection);
        return link == null ? null : link.stats();
    }

    @Override
    public @Nullable ConnectionStats ownConnectionStats(int queue) {
        SendQueue owner = sendQueues.find(queue);
        CardConnection link = owner == null ? null : owner.own();
        return link == null ? null : link.stats();
    }

    @Override
    public void peerLost(int connection, long nowNanos) {
        board.nowNanos = nowNanos;
        CardConnection link = board.links.get(connection);
        for (int handle = 1; handle < sendQueues.end(); handle++) {
            SendQueue queue = sendQueues.find(handle);
            if (queue != null) {
                queue.peerLost(link, nowNanos);
            }
        }
        link.lose();
    }

    @Override
    public void disconnect(int connection) {
        CardConnection link = board.links.get(connection);
        for (int handle = 1; handle < sendQueues.end(); handle++) {
            SendQueue queue = sendQueues.find(handle);
            if (queue != null) {
                queue.forget(link);
            }
        }
        end(link);
    }

    @Override
    public int createTarget(int connection, int remoteQueue) {
        return board.targets.add(new Target(board.links.get(connection), remoteQueue, null, 0));
    }

    @Override
    public int createMemoryTarget(int connection) {
        return createTarget(connection, 0);
    }

    @Override
    public int createDatagramTarget(RemotePort to, int remoteQueue, int queueKey) {
        return board.targets.add(new Target(null, remoteQueue, routes.to(to), queueKey));
    }

    @Override
    public void destroyTarget(int target) {
        for (int handle = 1; handle < sendQueues.end(); handle++) {
            SendQueue queue = sendQueues.find(handle);
            if (queue != null) {
                queue.forget(target);
            }
        }
        board.targets.remove(target);
    }

    // ---- keys

    @Override
    public int registerKey(KeyConfig config) {
        return board.keys.register(config);
    }

    @Override
    public boolean revokeKey(int key) {
        return board.keys.revoke(key);
    }

    // ---- control datagrams

    @Override
    public void sendControl(RemotePort to, ByteBuffer datagram) {
        control.send(routes.to(to), datagram);
    }
}
