package io.urma4j.udma.device;

import io.urma4j.udma.ring.Doorbells;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;

/**
 * A network card in software: (packet | doorbell | command | time) → (packets, completion queue elements, deadline).
 *
 * <p>For one thread at a time, which its driver sees to by one claim; {@link #doorbells} alone is for any thread. Commands
 * name queues, connections and targets by handles, small numbers that are used again after the object was destroyed;
 * numbers on the wire are something else, and come again late.
 *
 * <p>A turn of the crank is: hand it the packets that have come, then {@link #step}. Commands and doorbells may leave
 * packets unsent and results untold until then.
 */
public final class Card {
    /** Smallest number that is given out; 0 and 1 are special, Linux keeps some more. */
    public static final int FIRST_NUMBER = 17;

    /** The queue number of control messages. */
    public static final int CONTROL_QUEUE = 1;

    private final Doorbells doorbells = new Doorbells();

    public Card(Port port, CardListener listener) {}

    /** Bells of the send queues, by handle. */
    public Doorbells doorbells() {
        return doorbells;
    }

    // ---- the crank

    /** A packet came, which {@code PacketCheck} found sound and whose ICRC is right. It is the caller's again afterwards. */
    public void receive(Packet packet, Source origin, long nowNanos) {}

    /** Work requests were posted to a send queue: starts what can start. Its ring tells how many. */
    public void doorbell(int queue, long nowNanos) {}

    /**
     * Answers the doorbells, sees to timers, sends what may be sent, and flushes the port.
     *
     * @return when it must be called again at the latest, though nothing happens until then; {@code Long.MAX_VALUE} for
     *     never
     */
    public long step(long nowNanos) {
        return Long.MAX_VALUE;
    }

    /** Whether a step would do something at once. */
    public boolean hasWork() {
        return false;
    }

    // ---- completion queues

    /**
     * Makes a completion queue.
     *
     * @param ring zeroed, laid out as {@link io.urma4j.udma.ring.CqRing} says
     * @param depth a power of two
     * @param moderationCount an armed queue's event waits for so many records, at least 1
     * @param moderationNanos but no record waits longer than this
     * @param onEvent runs once for each arming, under the card's claim
     * @return its handle, 1 and up
     */
    public int createCq(MemorySegment ring, int depth, int moderationCount, long moderationNanos, Runnable onEvent) {
        return 0;
    }

    /** Asks for one event: at once when there are records that the driver has not taken, else with the next one. */
    public void arm(int cq, boolean solicitedOnly, long nowNanos) {}

    /** False once it has overflowed. */
    public boolean isValid(int cq) {
        return true;
    }

    /** No queue uses it any more. */
    public void destroyCq(int cq) {}

    // ---- receive queues

    /** Makes a receive queue, READY; returns its handle, 1 and up. */
    public int createReceiveQueue(ReceiveQueueConfig config) {
        return 0;
    }

    /** The number on the wire of a receive queue. */
    public int receiveNumber(int receiveQueue) {
        return 0;
    }

    /** To {@link CardState#RESET}, READY or ERROR; the caller found the move legal. */
    public void modifyReceiveQueue(int receiveQueue, int state) {}

    public int receiveState(int receiveQueue) {
        return 0;
    }

    /** Tells once when fewer receive work requests than that wait, at once when it is so already; 0 for never. */
    public void threshold(int receiveQueue, int threshold) {}

    /** No Jetty uses it any more. Its records disappear from the completion queue. */
    public void destroyReceiveQueue(int receiveQueue) {}

    // ---- send queues

    /** Makes a send queue, READY, or RESET when it is RC; returns its handle, 1 and up. */
    public int createSendQueue(SendQueueConfig config) {
        return 0;
    }

    /** The number on the wire of a send queue, and of the Jetty that it is half of. */
    public int sendNumber(int queue) {
        return 0;
    }

    /** State of the queue, a number of {@link CardState}. */
    public int sendState(int queue) {
        return 0;
    }

    /**
     * Moves a send queue to a state.
     *
     * @return false when the move is not legal from where it is now (SEMANTICS S6.2), or it holds work that must be flushed
     *     first
     */
    public boolean modifySendQueue(int queue, int state, long nowNanos) {
        return false;
    }

    /**
     * Takes out what has no record of a drained queue in ERROR or SUSPENDED, in the order of posting.
     *
     * @param out takes two words for each: position, status
     * @return how many work requests were taken
     */
    public int flush(int queue, long[] out, int max) {
        return 0;
    }

    /**
     * To ERROR without a marker, and everything taken out that has no record.
     *
     * @param out takes two words for each, as {@link #flush} does; twice the queue's depth is enough
     */
    public int quiesce(int queue, long[] out, long nowNanos) {
        return 0;
    }

    /** It ends: unfinished work requests disappear, and its records from all completion queues. */
    public void destroySendQueue(int queue) {}

    // ---- Jetty groups

    /** Makes a group of Jetties under one number; returns its handle. */
    public int createGroup(int number, boolean byHint) {
        return 0;
    }

    public int groupNumber(int group) {
        return 0;
    }

    public void addMember(int group, int queue) {}

    public void removeMember(int group, int queue) {}

    public void destroyGroup(int group) {}

    // ---- connections and targets

    /** Connects an RC queue in RESET, which is READY then; returns the connection's handle. */
    public int connectRc(int queue, ConnectionConfig config, long nowNanos) {
        return 0;
    }

    /** Ends the connection of a queue in ERROR: it is in RESET afterwards, with what was not flushed gone. */
    public void disconnectRc(int queue) {}

    /** Makes a connection that all RM queues share with a peer's context; returns its handle. */
    public int connect(ConnectionConfig config, long nowNanos) {
        return 0;
    }

    /** The number of a shared connection on this side: its EE context. */
    public int connectionNumber(int connection) {
        return 0;
    }

    /** The peer is gone for good: what was meant for it ends with ACK_TIMEOUT_ERR (SEMANTICS S12.4). */
    public void peerLost(int connection, long nowNanos) {}

    /** No target uses the shared connection any more. */
    public void disconnect(int connection) {}

    /** A queue of a peer by a shared connection; returns the handle that work requests name. */
    public int createTarget(int connection, int remoteQueue) {
        return 0;
    }

    /** The memory of a peer by a shared connection; returns the handle that one-sided work requests name. */
    public int createMemoryTarget(int connection) {
        return 0;
    }

    /** A queue that takes datagrams; returns the handle that work requests name. */
    public int createDatagramTarget(Route route, int remoteQueue, int queueKey) {
        return 0;
    }

    /** No unfinished work request names it. */
    public void destroyTarget(int target) {}

    // ---- keys

    /**
     * Makes a key.
     *
     * @return its number: index and generation; 0 when none is left
     */
    public int registerKey(KeyConfig config) {
        return 0;
    }

    /** From now on it opens nothing; what the card did with it is over. False when it did not open anything. */
    public boolean revokeKey(int key) {
        return false;
    }

    /** Revokes all keys of an owner; returns how many. */
    public int revokeKeys(long owner) {
        return 0;
    }
}
