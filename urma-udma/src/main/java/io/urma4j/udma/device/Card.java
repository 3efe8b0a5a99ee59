package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.command.CqStats;
import io.urma4j.udma.command.FragmentStats;
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
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Packet;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A software network card: (packet | doorbell | command | time) → (packets, completion queue elements, deadline).
 *
 * <p>For one thread at a time, by the lock of its event loop; {@link #doorbells} alone is for any thread. The driver calls
 * the commands, and the event loop the rest: it passes the packets that have arrived, then calls {@link #step}. Commands and
 * doorbells may leave packets unsent and results unreported until then.
 */
public final class Card implements CardCommands {
    /** Maximum rounds of a step: then the driving thread receives packets again. */
    private static final int ROUNDS = 16;

    /** When to come again when the port had no room. */
    private static final long PORT_NANOS = 50_000;

    private final Doorbells doorbells = new Doorbells();
    private final Schedule schedule = new Schedule();
    private final Registry registry = new Registry();
    private final Routes routes;
    private final CardListener listener;
    private final OutgoingBatch port;
    private final DatagramSender datagrams;
    private final KeyTable keys;
    private final Inbound inbound;
    private final Handles<CompletionQueue> cqs = new Handles<>();
    private final Handles<ReceiveQueue> receiveQueues = new Handles<>();
    private final Handles<SendQueue> sendQueues = new Handles<>();
    private final Handles<Group> groups = new Handles<>();
    private final Handles<Target> targets = new Handles<>();
    private final ConnectionTable connections;
    private final CompletionQueue.Armed armedCqs = new CompletionQueue.Armed();
    private final SendQueue.Parts ofSendQueues;

    /** A card that leaves by a port, on the ways to peers that {@code routes} knows. Its memory answers at once. */
    public Card(Port port, Routes routes, CardListener listener, CardOptions options) {
        this(port, routes, listener, options, LateMemory.NONE);
    }

    public Card(Port port, Routes routes, CardListener listener, CardOptions options, LateMemory late) {
        this.routes = routes;
        this.listener = listener;
        this.port = new OutgoingBatch(port);
        this.datagrams = new DatagramSender(this.port);
        this.keys = new KeyTable(registry, listener, options.maxKeys());
        this.inbound = new Inbound(registry, listener);
        this.ofSendQueues = new SendQueue.Parts(schedule, listener, keys, late.copies(), datagrams, targets, cqs);
        var memory = late.over(keys, registry::copyWaiter);
        this.connections = new ConnectionTable(
                new CardConnection.Parts(schedule, listener, this.port, memory, registry, options.predicts()),
                registry);
    }

    /** Doorbells of the send queues, by handle. */
    public Doorbells doorbells() {
        return doorbells;
    }

    /** The secret of the ICRC of a packet that {@code PacketCheck} found valid. The caller asks before it passes the packet. */
    public long secretOf(Packet packet, Source origin) {
        return inbound.secretOf(packet, origin);
    }

    /**
     * Receives a packet that {@code PacketCheck} found valid. The caller owns it again afterwards.
     *
     * @param origin with the secret that verified its ICRC
     * @param isDelayed whether it may have waited in this host
     */
    public void receive(Packet packet, Source origin, boolean isDelayed, long nowNanos) {
        inbound.receive(packet, origin, isDelayed, nowNanos);
    }

    /** The same for a packet that has not waited. */
    public void receive(Packet packet, Source origin, long nowNanos) {
        receive(packet, origin, false, nowNanos);
    }

    /** Work requests were posted to a send queue, whose ring has their number: the queue runs in the next step. */
    public void doorbell(int queue) {
        SendQueue posted = sendQueues.find(queue);
        if (posted != null) {
            schedule.queues.add(posted);
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
        port.beginStep();
        schedule.beginStep(nowNanos);
        ofSendQueues.copies().poll();
        for (int round = 0; round < ROUNDS; round++) {
            for (int queue = doorbells.answer(); queue >= 0; queue = doorbells.answer()) {
                doorbell(queue);
            }
            if (!schedule.hasReady() || port.isFull()) {
                break;
            }
            schedule.runRound(nowNanos, hint);
        }
        port.flush();
        return schedule.endStep(nowNanos, port.isFull() ? PORT_NANOS : 0);
    }

    /** Whether a step would do something at once. */
    public boolean hasWork() {
        return schedule.hasReady() || doorbells.areRinging() || hasLeft();
    }

    /** Whether something was left for the next step. */
    public boolean hasLeft() {
        return schedule.connections.awaitsNextStep();
    }

    /** Whether a completion queue is armed, so that a thread waits for its event. Any thread. */
    public boolean isAnyArmed() {
        return armedCqs.isAny();
    }

    @Override
    public long dropped() {
        return inbound.dropped();
    }

    @Override
    public NoticeStats notices() {
        return connections.notices();
    }

    @Override
    public FragmentStats fragments() {
        return new FragmentStats(port.fragments(), inbound.fragments());
    }

    // ---- completion queues

    @Override
    public int createCq(NativeMemory ring, int depth, int moderationCount, long moderationNanos) {
        return cqs.add(new CompletionQueue(
                cqs.next(), ring, depth, moderationCount, moderationNanos, schedule.deadlines, listener, armedCqs));
    }

    @Override
    public void arm(int cq, boolean solicitedOnly) {
        cqs.get(cq).arm(solicitedOnly);
    }

    @Override
    public CqStats cqStats(int cq) {
        return cqs.get(cq).stats();
    }

    @Override
    public void moveEnd(int cq, long end) {
        cqs.get(cq).moveEnd(end);
    }

    @Override
    public void destroyCq(int cq) {
        cqs.get(cq).close();
        cqs.remove(cq);
    }

    // ---- receive queues

    @Override
    public int createReceiveQueue(ReceiveQueueConfig config) {
        int number = registry.take(config.number());
        if (number == 0) {
            return 0;
        }
        ReceiveQueue queue =
                new ReceiveQueue(number, listener, keys, ofSendQueues.copies(), config, cqs.get(config.cq()));
        registry.receiver(number, new Receiver(registry, queue));
        return receiveQueues.add(queue);
    }

    @Override
    public int receiveNumber(int receiveQueue) {
        return receiveQueues.get(receiveQueue).number();
    }

    @Override
    public void modifyReceiveQueue(int receiveQueue, QueueState state) {
        receiveQueues.get(receiveQueue).enter(state);
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
    }

    // ---- send queues

    @Override
    public int createSendQueue(SendQueueConfig config) {
        int number = registry.take(config.number());
        if (number == 0) {
            return 0;
        }
        SendQueue queue = new SendQueue(number, config, ofSendQueues);
        if (config.receives() != 0) {
            ReceiveQueue receives = receiveQueues.get(config.receives());
            CompletionQueue cq = config.receiveCq() == 0 ? receives.cq() : cqs.get(config.receiveCq());
            queue.receivesBy(cq);
            registry.receiver(number, new Receiver(registry, receives, cq, queue));
        }
        return sendQueues.add(queue);
    }

    @Override
    public int sendNumber(int queue) {
        return sendQueues.get(queue).number();
    }

    public QueueState sendState(int queue) {
        return sendQueues.get(queue).state();
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
    public boolean modifySendQueue(int queue, QueueState state, long nowNanos) {
        return sendQueues.get(queue).modify(state, nowNanos);
    }

    @Override
    public void runSendQueue(int queue, long nowNanos) {
        sendQueues.get(queue).run(nowNanos);
    }

    @Override
    public void eventEnded(int queue, long position, boolean hasFailed, long nowNanos) {
        sendQueues.get(queue).eventEnded(position, hasFailed, nowNanos);
    }

    @Override
    public int flush(int queue, long[] out, int max, long nowNanos) {
        return sendQueues.get(queue).flush(out, max, nowNanos);
    }

    @Override
    public int quiesce(int queue, long[] out, long nowNanos) {
        return sendQueues.get(queue).quiesce(out, nowNanos);
    }

    @Override
    public void destroySendQueue(int queue) {
        SendQueue closing = sendQueues.get(queue);
        CardConnection own = closing.own();
        closing.close();
        Receiver receiver = registry.receiver(closing.number());
        if (receiver != null) {
            receiver.close();
        }
        if (own != null) {
            connections.end(own);
        }
        schedule.queues.remove(closing);
        connections.forget(closing);
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
        groups.get(group).add(registry.member(sendNumber(queue)));
    }

    @Override
    public void removeMember(int group, int queue) {
        groups.get(group).remove(registry.member(sendNumber(queue)));
    }

    @Override
    public void destroyGroup(int group) {
        registry.give(groupNumber(group));
        groups.remove(group);
    }

    // ---- connections and targets

    @Override
    public int connectRc(int queue, CardConnectionConfig config, long nowNanos) {
        SendQueue owner = sendQueues.get(queue);
        CardConnection link = connections.open(owner.number(), owner, config, routes.to(config.to()), nowNanos);
        owner.connected(link);
        return link.handle();
    }

    @Override
    public void disconnectRc(int queue, long nowNanos) {
        SendQueue owner = sendQueues.get(queue);
        CardConnection link = owner.own();
        owner.disconnected(nowNanos);
        if (link != null) {
            connections.end(link);
        }
    }

    @Override
    public int connect(CardConnectionConfig config, long nowNanos) {
        var route = routes.to(config.to());
        int number = registry.takeConnection(config.number());
        return connections.open(number, null, config, route, nowNanos).handle();
    }

    @Override
    public boolean isTaken(int number) {
        return registry.isTaken(number);
    }

    @Override
    public @Nullable ConnectionStats connectionStats(int connection) {
        CardConnection link = connections.find(connection);
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
        CardConnection link = connections.get(connection);
        sendQueues.forEach(queue -> queue.peerLost(link, nowNanos));
        link.close();
    }

    @Override
    public void disconnect(int connection) {
        CardConnection link = connections.get(connection);
        sendQueues.forEach(queue -> queue.forget(link));
        connections.end(link);
    }

    @Override
    public int createTarget(int connection, int remoteQueue) {
        return targets.add(new Target(connections.get(connection), remoteQueue, null, 0));
    }

    @Override
    public int createDatagramTarget(RemotePort to, int remoteQueue, int queueKey) {
        return targets.add(new Target(null, remoteQueue, routes.to(to), queueKey));
    }

    @Override
    public void destroyTarget(int target) {
        sendQueues.forEach(queue -> queue.forget(target));
        targets.remove(target);
    }

    // ---- keys and control datagrams

    @Override
    public int registerKey(KeyConfig config) {
        return keys.register(config);
    }

    @Override
    public long vaBase(int key) {
        return keys.vaBase(key);
    }

    @Override
    public boolean revokeKey(int key) {
        return keys.revoke(key);
    }

    @Override
    public void sendControl(RemotePort to, ByteBuffer datagram) {
        datagrams.sendControl(routes.to(to), datagram);
    }
}
