package io.urma4j.udma.device;

import io.urma4j.udma.ring.Doorbells;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.transport.Traffic;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A software network card: (packet | doorbell | command | time) → (packets, completion queue elements, deadline).
 *
 * <p>For one thread at a time, which the driver ensures by one lock; {@link #doorbells} alone is for any thread. Commands
 * name queues, connections and targets by handles, small numbers that are reused after the object was destroyed. Numbers on
 * the wire are different, and are reused late.
 *
 * <p>The driver passes the received packets to the card, then calls {@link #step}. Commands and doorbells may leave packets
 * unsent and results unreported until then.
 */
public final class Card {
    /** Smallest assigned number; 0 and 1 are special, and Linux reserves some more. */
    public static final int FIRST_NUMBER = 17;

    /** Queues and groups have numbers below, shared connections this and above: each number has one meaning. */
    public static final int FIRST_CONNECTION = 0x80_0000;

    /** The queue number of control messages. */
    public static final int CONTROL_QUEUE = Management.QUEUE;

    /** A step that is later than its deadline by this much follows a stall of this process. */
    private static final long PAUSE_NANOS = 50_000_000;

    /** For this time after a stall, input precedes timers (S12.3). */
    private static final long GRACE_NANOS = 20_000_000;

    /** Maximum rounds of a step: then the driving thread receives packets again. */
    private static final int ROUNDS = 16;

    /** Maximum live keys. */
    public static final int MAX_KEYS = KeyTable.MAX_INDICES;

    /** Delay of the next step when the port had no space. */
    private static final long PORT_NANOS = 50_000;

    private final Doorbells doorbells = new Doorbells();
    private final Registry registry = new Registry();
    private final Board board;
    private final Inbound inbound;
    private final Handles<ReceiveQueue> receiveQueues = new Handles<>();
    private final Handles<Receiver> ownReceivers = new Handles<>(); // of receive queues, by their handles
    private final Handles<SendQueue> sendQueues = new Handles<>();
    private final Handles<Group> groups = new Handles<>();

    private long expectedNanos = Long.MAX_VALUE; // when the last step asked to be called again
    private long graceUntilNanos = Long.MIN_VALUE;
    private NoticeStats noticesOfEnded = NoticeStats.NONE; // of connections

    public Card(Port port, CardListener listener) {
        this(port, listener, MAX_KEYS);
    }

    /** With fewer keys, for tests of exhaustion. */
    public Card(Port port, CardListener listener, int maxKeys) {
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

    /** How many packets named no queue or connection, or came from another source than the peer. */
    public long dropped() {
        return inbound.dropped();
    }

    /** CNPs of all its connections, including closed ones. */
    public NoticeStats notices() {
        NoticeStats all = noticesOfEnded;
        for (int handle = 1; handle < board.links.end(); handle++) {
            CardConnection link = board.links.find(handle);
            all = link == null ? all : all.plus(link.connection().traffic());
        }
        return all;
    }

    /** Counters of a connection. */
    Traffic traffic(int connection) {
        return board.links.get(connection).connection().traffic();
    }

    // ---- completion queues

    /**
     * Creates a completion queue.
     *
     * @param ring zeroed, in the layout of {@link io.urma4j.udma.ring.CqRing}
     * @param depth a power of two
     * @param moderationCount an armed queue's event waits for this many records, at least 1
     * @param moderationNanos maximum delay of the event after a record
     * @param onEvent runs once for each arming, under the card's lock
     * @return its handle, 1 and up
     */
    public int createCq(MemorySegment ring, int depth, int moderationCount, long moderationNanos, Runnable onEvent) {
        CompletionQueue cq = new CompletionQueue(board, ring, depth, moderationCount, moderationNanos, onEvent);
        int handle = board.cqs.add(cq);
        cq.handle(handle);
        return handle;
    }

    /** Requests one event: at once if there are records that the driver has not taken, else with the next one. */
    public void arm(int cq, boolean solicitedOnly) {
        board.cqs.get(cq).arm(solicitedOnly);
    }

    /** False once it has overflowed. */
    public boolean isValid(int cq) {
        return board.cqs.get(cq).isValid();
    }

    /** The number of records written so far. */
    public long records(int cq) {
        return board.cqs.get(cq).produced();
    }

    /** How often a record found no space. */
    public long overflows(int cq) {
        return board.cqs.get(cq).overflows();
    }

    /** Destroys the completion queue; no queue uses it any more. */
    public void destroyCq(int cq) {
        board.cqs.get(cq).close();
        board.cqs.remove(cq);
    }

    // ---- receive queues

    /** Creates a receive queue, READY; returns its handle, 1 and up; 0 if its number is taken. */
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

    /** The number on the wire of a receive queue. */
    public int receiveNumber(int receiveQueue) {
        return ownReceivers.get(receiveQueue).number();
    }

    /** To {@link CardState#RESET}, READY or ERROR; the caller has checked that the move is legal. */
    public void modifyReceiveQueue(int receiveQueue, int state) {
        receiveQueues.get(receiveQueue).state(state);
    }

    /** State of the receive queue, a number of {@link CardState}. */
    public int receiveState(int receiveQueue) {
        return receiveQueues.get(receiveQueue).state();
    }

    /** Reports once when fewer receive work requests than that are left, at once if that is already so; 0 for never. */
    public void threshold(int receiveQueue, int threshold) {
        receiveQueues.get(receiveQueue).threshold(threshold);
    }

    public ReceiveStats receiveStats(int receiveQueue) {
        return receiveQueues.get(receiveQueue).stats();
    }

    /** Destroys the receive queue; no Jetty uses it any more. The driver ignores its unpolled records. */
    public void destroyReceiveQueue(int receiveQueue) {
        registry.give(receiveNumber(receiveQueue));
        receiveQueues.get(receiveQueue).close();
        receiveQueues.remove(receiveQueue);
        ownReceivers.remove(receiveQueue);
    }

    // ---- send queues

    /** Creates a send queue, READY, or RESET if it is RC; returns its handle, 1 and up; 0 if its number is taken. */
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

    /** The number on the wire of a send queue, and of its Jetty. */
    public int sendNumber(int queue) {
        return sendQueues.get(queue).number();
    }

    /** State of the queue, a number of {@link CardState}. */
    public int sendState(int queue) {
        return sendQueues.get(queue).state().value();
    }

    public SendStats sendStats(int queue) {
        return sendQueues.get(queue).stats();
    }

    /** What its unfinished work requests wait for; visits each. */
    public List<SendWait> sendWaits(int queue) {
        return sendQueues.get(queue).waits();
    }

    /**
     * Moves a send queue to a state.
     *
     * @return false if the move is illegal from the current state (SEMANTICS S6.2), or if the queue holds work that must be
     *     flushed first
     */
    public boolean modifySendQueue(int queue, int state, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).modify(state, nowNanos);
    }

    /** Runs a send queue, so that the following command sees all earlier posts and their results. */
    public void runSendQueue(int queue, long nowNanos) {
        board.nowNanos = nowNanos;
        sendQueues.get(queue).run(nowNanos);
    }

    /**
     * Removes the work requests without a record of a drained queue in ERROR or SUSPENDED, in posting order.
     *
     * @param out receives two words for each: position, status
     * @return how many work requests were removed
     */
    public int flush(int queue, long[] out, int max, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).flush(out, max, nowNanos);
    }

    /**
     * To ERROR without a marker, and removes all work requests without a record.
     *
     * @param out receives two words for each, like {@link #flush}; twice the queue's depth is enough
     */
    public int quiesce(int queue, long[] out, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).quiesce(out, nowNanos);
    }

    /** Destroys the send queue: unfinished work requests are discarded. The driver ignores its unpolled records. */
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

    /**
     * Creates a group of Jetties under this number, or under any if it is 0; returns its handle; 0 if the number is taken.
     */
    public int createGroup(int number, boolean byHint) {
        int taken = registry.take(number);
        if (taken == 0) {
            return 0;
        }
        Group group = new Group(taken, byHint);
        registry.group(taken, group);
        return groups.add(group);
    }

    public int groupNumber(int group) {
        return groups.get(group).number();
    }

    public void addMember(int group, int queue) {
        groups.get(group).add(receiverOf(queue));
    }

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

    public void destroyGroup(int group) {
        registry.give(groupNumber(group));
        groups.remove(group);
    }

    // ---- connections and targets

    /** Connects an RC queue in RESET, which is then READY; returns the connection's handle. */
    public int connectRc(int queue, CardConnectionConfig config, long nowNanos) {
        board.nowNanos = nowNanos;
        SendQueue owner = sendQueues.get(queue);
        CardConnection link = new CardConnection(board, registry, config, owner.number(), owner, nowNanos);
        link.handle(board.links.add(link));
        registry.link(owner.number(), link);
        owner.connected(link);
        return link.handle();
    }

    /** Ends the connection of a queue, which is in RESET afterwards; never-started requests must still be flushed. */
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
        noticesOfEnded = noticesOfEnded.plus(link.connection().traffic());
        board.forget(link);
        board.links.remove(link.handle());
        SendQueue only = link.only();
        if (only != null) {
            registry.link(only.number(), null);
        } else {
            registry.give(link.number());
        }
    }

    /**
     * Creates a connection that all RM queues share with a peer's context; returns its handle.
     *
     * @param config its number is {@link #FIRST_CONNECTION} or above, and unused
     */
    public int connect(CardConnectionConfig config, long nowNanos) {
        int number = registry.take(config.number());
        if (number < FIRST_CONNECTION) {
            throw new IllegalArgumentException("no connection can have the number " + config.number());
        }
        CardConnection link = new CardConnection(board, registry, config, number, null, nowNanos);
        link.handle(board.links.add(link));
        registry.link(number, link);
        return link.handle();
    }

    /** Whether a queue, a group or a connection has that number on the wire. */
    public boolean isTaken(int number) {
        return registry.isTaken(number);
    }

    /** What a shared connection has counted; null when it has ended. */
    public @Nullable ConnectionStats connectionStats(int connection) {
        CardConnection link = board.links.find(connection);
        return link == null ? null : ConnectionStats.of(link.number(), link.connection());
    }

    /** The same of the connection that a queue has for itself; null when it has none. */
    public @Nullable ConnectionStats ownConnectionStats(int queue) {
        SendQueue owner = sendQueues.find(queue);
        CardConnection link = owner == null ? null : owner.own();
        return link == null ? null : ConnectionStats.of(link.number(), link.connection());
    }

    /** The peer is gone for good: work requests to it end with ACK_TIMEOUT_ERR (SEMANTICS S12.4). */
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

    /** Destroys a shared connection, which no target uses any more. */
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

    /** Creates a target: a queue of a peer on a shared connection; returns the handle that work requests name. */
    public int createTarget(int connection, int remoteQueue) {
        return board.targets.add(new Target(board.links.get(connection), remoteQueue, null, 0));
    }

    /**
     * Creates a target: the memory of a peer on a shared connection; returns the handle that one-sided work requests name.
     */
    public int createMemoryTarget(int connection) {
        return createTarget(connection, 0);
    }

    /** Creates a target: a queue that receives datagrams; returns the handle that work requests name. */
    public int createDatagramTarget(Route route, int remoteQueue, int queueKey) {
        return board.targets.add(new Target(null, remoteQueue, route, queueKey));
    }

    /** Destroys a target; no unfinished work request names it. */
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

    /**
     * Creates a key.
     *
     * @return its number: index and generation; 0 if none is left
     */
    public int registerKey(KeyConfig config) {
        return board.keys.register(config);
    }

    /** Invalidates a key; accesses by it are over. False if it was invalid. */
    public boolean revokeKey(int key) {
        return board.keys.revoke(key);
    }

    /** Revokes all keys of an owner; returns how many. */
    public int revokeKeys(long owner) {
        return board.keys.revokeAll(owner);
    }
}
