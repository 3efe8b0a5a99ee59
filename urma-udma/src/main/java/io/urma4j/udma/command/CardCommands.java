package io.urma4j.udma.command;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a card, for one thread at a time, which holds the card's lock.
 *
 * <p>Commands name queues, connections and targets by handles, small numbers that are used again after the object was
 * destroyed. Numbers on the wire are something else, and return late. Commands may leave packets unsent and results
 * unreported until the card's next step. The card reports through {@link CardListener}.
 *
 * <p>Every argument and result is a number, a state, a record of these, or memory: this is what a card in another
 * process would be sent, beside what lies in the rings.
 */
public interface CardCommands {
    /** Smallest number that is given out; 0 and 1 are special, Linux keeps some more. */
    int FIRST_NUMBER = 17;

    /** Queues, and groups of them, have numbers below, shared connections this and above: one number means one thing. */
    int FIRST_CONNECTION = 0x80_0000;

    /** Most keys that live at a time: what 24 bits can name, but 0. */
    int MAX_KEYS = (1 << 24) - 1;

    // ---- completion queues

    /**
     * Makes a completion queue.
     *
     * @param ring zeroed, laid out as {@code io.urma4j.udma.ring.CqRing} says
     * @param depth a power of two
     * @param moderationCount records that an armed queue's event waits for, at least 1
     * @param moderationNanos but no record waits longer than this
     * @return its handle, 1 and up
     */
    int createCq(NativeMemory ring, int depth, int moderationCount, long moderationNanos);

    /**
     * Asks for one event, {@link CardListener#recordsArrived}: at once when there are records that the driver has not taken,
     * else with the next one.
     */
    void arm(int cq, boolean solicitedOnly);

    CqStats cqStats(int cq);

    /** The driver has removed unpolled records, and moved the others together: the next one comes to that position. */
    void moveEnd(int cq, long end);

    /** No queue uses it any more. */
    void destroyCq(int cq);

    // ---- receive queues

    /** Makes a receive queue, READY; returns its handle, 1 and up; 0 when its number is taken. */
    int createReceiveQueue(ReceiveQueueConfig config);

    /** The number on the wire of a receive queue. */
    int receiveNumber(int receiveQueue);

    /** To RESET, READY or ERROR; the caller found the move legal. */
    void modifyReceiveQueue(int receiveQueue, QueueState state);

    /** Reports once when fewer receive work requests than that wait, at once when it is so already; 0 for never. */
    void threshold(int receiveQueue, int threshold);

    ReceiveStats receiveStats(int receiveQueue);

    /** No Jetty uses it any more. The driver ignores the records of it that are still unpolled. */
    void destroyReceiveQueue(int receiveQueue);

    // ---- send queues

    /** Makes a send queue, READY, or RESET when it is RC; returns its handle, 1 and up; 0 when its number is taken. */
    int createSendQueue(SendQueueConfig config);

    /** The number on the wire of a send queue, and of the Jetty that it is half of. */
    int sendNumber(int queue);

    SendStats sendStats(int queue);

    /** What its unfinished work requests wait for; the card looks at each. */
    List<SendWait> sendWaits(int queue);

    /**
     * Moves a send queue to a state.
     *
     * @return false when the move is not legal from where it is now (SEMANTICS S6.2), or it holds work that must be flushed
     *     first
     */
    boolean modifySendQueue(int queue, QueueState state, long nowNanos);

    /** Runs a send queue now: later commands then see what was posted before, and what has become of it. */
    void runSendQueue(int queue, long nowNanos);

    /**
     * The event is done that the work request of a position waits for, see {@code SendWqe.AFTER_EVENT}. Nothing if the request has ended.
     *
     * @param hasFailed the request ends with LOC_ACCESS_ERR, in its order
     */
    void eventEnded(int queue, long position, boolean hasFailed, long nowNanos);

    /**
     * Takes out what has no record of a drained queue in ERROR or SUSPENDED, in the order of posting.
     *
     * @param out takes two words for each: position, status
     * @return how many work requests were taken
     */
    int flush(int queue, long[] out, int max, long nowNanos);

    /**
     * To ERROR without a marker, and everything taken out that has no record.
     *
     * @param out takes two words for each, as {@link #flush} does; twice the queue's depth is enough
     */
    int quiesce(int queue, long[] out, long nowNanos);

    /** It ends: unfinished work requests disappear. The driver ignores the records of it that are still unpolled. */
    void destroySendQueue(int queue);

    // ---- Jetty groups

    /** Makes a group of Jetties under one number, or under any when it is 0; returns its handle; 0 when it is taken. */
    int createGroup(int number, boolean byHint);

    int groupNumber(int group);

    void addMember(int group, int queue);

    void removeMember(int group, int queue);

    void destroyGroup(int group);

    // ---- connections and targets

    /** Connects an RC queue in RESET, which is READY then; returns the connection's handle. */
    int connectRc(int queue, CardConnectionConfig config, long nowNanos);

    /** Ends the connection of a queue, which is in RESET afterwards; what was never started is still to be flushed. */
    void disconnectRc(int queue, long nowNanos);

    /**
     * Makes a connection that all RM queues share with a peer's context; returns its handle.
     *
     * @param config its number is {@link #FIRST_CONNECTION} or above, and free
     */
    int connect(CardConnectionConfig config, long nowNanos);

    /** Whether a queue, a group or a connection has that number on the wire. */
    boolean isTaken(int number);

    /** The peer is gone for good: what was meant for it ends with ACK_TIMEOUT_ERR (SEMANTICS S12.4). */
    void peerLost(int connection, long nowNanos);

    /** No target uses the shared connection any more. */
    void disconnect(int connection);

    /** A queue of a peer by a shared connection; returns the handle that work requests name. */
    int createTarget(int connection, int remoteQueue);

    /** The memory of a peer by a shared connection; returns the handle that one-sided work requests name. */
    default int createMemoryTarget(int connection) {
        return createTarget(connection, 0);
    }

    /** A queue that takes datagrams; returns the handle that work requests name. */
    int createDatagramTarget(RemotePort to, int remoteQueue, int queueKey);

    /** No unfinished work request names it. */
    void destroyTarget(int target);

    // ---- keys

    /** Makes a key; returns its number, which is index and generation; 0 when none is left. */
    int registerKey(KeyConfig config);

    /** The VA of the first byte that a key opens; 0 when it does not open anything. */
    long vaBase(int key);

    /** From now on it opens nothing; what the card did with it is over. False when it did not open anything. */
    boolean revokeKey(int key);

    // ---- control datagrams

    /** Sends a datagram to a peer's QP 1. One that finds no room at the port is lost, as in the network. */
    void sendControl(RemotePort to, ByteBuffer datagram);

    // ---- counters

    /** How many packets named no queue, or came from another source than they should. */
    long dropped();

    /** CNPs of all its connections, those included that it had. */
    NoticeStats notices();

    /** The fragments of all connections since the card was made. */
    FragmentStats fragments();

    /** The counters of a shared connection; null if it has ended. */
    @Nullable
    ConnectionStats connectionStats(int connection);

    /** The counters of the connection that the RC queue with that handle owns; null if it has none. */
    @Nullable
    ConnectionStats ownConnectionStats(int queue);
}
