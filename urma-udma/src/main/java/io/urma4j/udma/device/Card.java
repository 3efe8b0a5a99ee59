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
 * A network card in software: (packet | doorbell | command | time) → (packets, completion queue elements, deadline).
 *
 * <p>For one thread at a time, which its driver sees to by one lock; {@link #doorbells} alone is for any thread. Commands
 * name queues, connections and targets by handles, small numbers that are used again after the object was destroyed;
 * numbers on the wire are something else, and come again late.
 *
 * <p>A turn of the crank is: hand it the packets that have come, then {@link #step}. Commands and doorbells may leave
 * packets unsent and results untold until then.
 */
public final class Card {
    /** Smallest number that is given out; 0 and 1 are special, Linux keeps some more. */
    public static final int FIRST_NUMBER = 17;

    /** Queues, and groups of them, have numbers below, shared connections this and above: one number means one thing. */
    public static final int FIRST_CONNECTION = 0x80_0000;

    /** The queue number of control messages. */
    public static final int CONTROL_QUEUE = Management.QUEUE;

    /** A turn that comes so much later than it was asked for follows a pause of our own. */
    private static final long PAUSE_NANOS = 50_000_000;

    /** So long after a pause input goes before timers (S12.3). */
    private static final long GRACE_NANOS = 20_000_000;

    /** Rounds of a step: then whoever turns the crank takes packets in again. */
    private static final int ROUNDS = 16;

    /** Most keys that live at a time. */
    public static final int MAX_KEYS = KeyTable.MAX_INDICES;

    /** When to come again when the port had no room. */
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

    /** With fewer keys, for those who want to see them run out. */
    public Card(Port port, CardListener listener, int maxKeys) {
        this.board = new Board(port, listener, registry, maxKeys);
        this.inbound = new Inbound(registry, listener, board.datagrams);
    }

    /** Bells of the send queues, by handle. */
    public Doorbells doorbells() {
        return doorbells;
    }

    // ---- the crank

    /** Which secret the ICRC of a packet must be right with that {@code PacketCheck} found sound; asked before it is received. */
    public long secretOf(Packet packet, Source origin) {
        return inbound.secretOf(packet, origin);
    }

    /**
     * A packet came, which {@code PacketCheck} found sound. It is the caller's again afterwards.
     *
     * @param origin has the secret that its ICRC was found right with
     */
    public void receive(Packet packet, Source origin, long nowNanos) {
        board.nowNanos = nowNanos;
        inbound.receive(packet, origin, nowNanos);
    }

    /** Whether what is handed in from now on may have waited in this host ({@link StallDetector}). */
    public void late(boolean late) {
        board.isLate = late;
    }

    /** Work requests were posted to a send queue: it has its turn with the next step. Its ring tells how many. */
    public void doorbell(int queue) {
        SendQueue posted = sendQueues.find(queue);
        if (posted != null) {
            board.ready(posted);
        }
    }

    /**
     * Answers the doorbells, sees to timers, sends what may be sent, and flushes the port.
     *
     * @return when it must be called again at the latest, though nothing happens until then; {@code Long.MAX_VALUE} for
     *     never
     */
    public long step(long nowNanos) {
        return step(nowNanos, FlushHint.FLUSH);
    }

    /** The same, but something may be left for the next step, which the caller takes soon. */
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

    /** Whether a completion queue is armed, so that somebody waits for its event. Any thread. */
    public boolean isAnyArmed() {
        return board.isAnyArmed();
    }

    /** How many packets were for nobody, or from somebody else than they should be. */
    public long dropped() {
        return inbound.dropped();
    }

    /** CNPs of all its connections, those included that it had. */
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
     * Makes a completion queue.
     *
     * @param ring zeroed, laid out as {@link io.urma4j.udma.ring.CqRing} says
     * @param depth a power of two
     * @param moderationCount an armed queue's event waits for so many records, at least 1
     * @param moderationNanos but no record waits longer than this
     * @param onEvent runs once for each arming, under the card's lock
     * @return its handle, 1 and up
     */
    public int createCq(MemorySegment ring, int depth, int moderationCount, long moderationNanos, Runnable onEvent) {
        CompletionQueue cq = new CompletionQueue(board, ring, depth, moderationCount, moderationNanos, onEvent);
        int handle = board.cqs.add(cq);
        cq.handle(handle);
        return handle;
    }

    /** Asks for one event: at once when there are records that the driver has not taken, else with the next one. */
    public void arm(int cq, boolean solicitedOnly) {
        board.cqs.get(cq).arm(solicitedOnly);
    }

    /** False once it has overflowed. */
    public boolean isValid(int cq) {
        return board.cqs.get(cq).isValid();
    }

    /** How many records were made so far. */
    public long records(int cq) {
        return board.cqs.get(cq).produced();
    }

    /** How often a record found no place. */
    public long overflows(int cq) {
        return board.cqs.get(cq).overflows();
    }

    /** No queue uses it any more. */
    public void destroyCq(int cq) {
        board.cqs.get(cq).close();
        board.cqs.remove(cq);
    }

    // ---- receive queues

    /** Makes a receive queue, READY; returns its handle, 1 and up; 0 when its number is taken. */
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

    /** To {@link CardState#RESET}, READY or ERROR; the caller found the move legal. */
    public void modifyReceiveQueue(int receiveQueue, int state) {
        receiveQueues.get(receiveQueue).state(state);
    }

    /** State of the receive queue, a number of {@link CardState}. */
    public int receiveState(int receiveQueue) {
        return receiveQueues.get(receiveQueue).state();
    }

    /** Tells once when fewer receive work requests than that wait, at once when it is so already; 0 for never. */
    public void threshold(int receiveQueue, int threshold) {
        receiveQueues.get(receiveQueue).threshold(threshold);
    }

    public ReceiveStats receiveStats(int receiveQueue) {
        return receiveQueues.get(receiveQueue).stats();
    }

    /** No Jetty uses it any more. The driver ignores the records of it that are still unpolled. */
    public void destroyReceiveQueue(int receiveQueue) {
        registry.give(receiveNumber(receiveQueue));
        receiveQueues.get(receiveQueue).close();
        receiveQueues.remove(receiveQueue);
        ownReceivers.remove(receiveQueue);
    }

    // ---- send queues

    /** Makes a send queue, READY, or RESET when it is RC; returns its handle, 1 and up; 0 when its number is taken. */
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

    /** The number on the wire of a send queue, and of the Jetty that it is half of. */
    public int sendNumber(int queue) {
        return sendQueues.get(queue).number();
    }

    /** State of the queue, a number of {@link CardState}. */
    public int sendState(int queue) {
        return sendQueues.get(queue).state();
    }

    public SendStats sendStats(int queue) {
        return sendQueues.get(queue).stats();
    }

    /** What its unfinished work requests wait for; each is looked at. */
    public List<SendWait> sendWaits(int queue) {
        return sendQueues.get(queue).waits();
    }

    /**
     * Moves a send queue to a state.
     *
     * @return false when the move is not legal from where it is now (SEMANTICS S6.2), or it holds work that must be flushed
     *     first
     */
    public boolean modifySendQueue(int queue, int state, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).modify(state, nowNanos);
    }

    /** Gives a send queue its turn: what is asked then knows what was posted before, and what has become of it. */
    public void runSendQueue(int queue, long nowNanos) {
        board.nowNanos = nowNanos;
        sendQueues.get(queue).run(nowNanos);
    }

    /**
     * Takes out what has no record of a drained queue in ERROR or SUSPENDED, in the order of posting.
     *
     * @param out takes two words for each: position, status
     * @return how many work requests were taken
     */
    public int flush(int queue, long[] out, int max, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).flush(out, max, nowNanos);
    }

    /**
     * To ERROR without a marker, and everything taken out that has no record.
     *
     * @param out takes two words for each, as {@link #flush} does; twice the queue's depth is enough
     */
    public int quiesce(int queue, long[] out, long nowNanos) {
        board.nowNanos = nowNanos;
        return sendQueues.get(queue).quiesce(out, nowNanos);
    }

    /** It ends: unfinished work requests disappear. The driver ignores the records of it that are still unpolled. */
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

    /** Makes a group of Jetties under one number, or under any when it is 0; returns its handle; 0 when it is taken. */
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

    /** Connects an RC queue in RESET, which is READY then; returns the connection's handle. */
    public int connectRc(int queue, CardConnectionConfig config, long nowNanos) {
        board.nowNanos = nowNanos;
        SendQueue owner = sendQueues.get(queue);
        CardConnection link = new CardConnection(board, registry, config, owner.number(), owner, nowNanos);
        link.handle(board.links.add(link));
        registry.link(owner.number(), link);
        owner.connected(link);
        return link.handle();
    }

    /** Ends the connection of a queue, which is in RESET afterwards; what was never started is still to be flushed. */
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
     * Makes a connection that all RM queues share with a peer's context; returns its handle.
     *
     * @param config its number is {@link #FIRST_CONNECTION} or above, and nobody has it
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

    /** The peer is gone for good: what was meant for it ends with ACK_TIMEOUT_ERR (SEMANTICS S12.4). */
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

    /** No target uses the shared connection any more. */
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

    /** A queue of a peer by a shared connection; returns the handle that work requests name. */
    public int createTarget(int connection, int remoteQueue) {
        return board.targets.add(new Target(board.links.get(connection), remoteQueue, null, 0));
    }

    /** The memory of a peer by a shared connection; returns the handle that one-sided work requests name. */
    public int createMemoryTarget(int connection) {
        return createTarget(connection, 0);
    }

    /** A queue that takes datagrams; returns the handle that work requests name. */
    public int createDatagramTarget(Route route, int remoteQueue, int queueKey) {
        return board.targets.add(new Target(null, remoteQueue, route, queueKey));
    }

    /** No unfinished work request names it. */
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
     * Makes a key.
     *
     * @return its number: index and generation; 0 when none is left
     */
    public int registerKey(KeyConfig config) {
        return board.keys.register(config);
    }

    /** From now on it opens nothing; what the card did with it is over. False when it did not open anything. */
    public boolean revokeKey(int key) {
        return board.keys.revoke(key);
    }

    /** Revokes all keys of an owner; returns how many. */
    public int revokeKeys(long owner) {
        return board.keys.revokeAll(owner);
    }
}
