package io.urma4j.shm;

import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.Resource;
import io.urma4j.shm.control.PathMemory;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.shm.ring.RingSender;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.SpinLock;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The transport path to a peer: a ring in each direction, shared by all queues of both contexts.
 *
 * <p>Three locks, each held for a few slots: to send, to process answers, to receive. The lock order is answers → queue →
 * send → JFC, where a queue's lock may come before each. Receiving takes no queue's lock except that of a receive queue.
 */
final class MessagePath {
    /** Maximum slots of one visit, so that no path starves the others. */
    private static final int BATCH = 64;

    /** A poll that finds messages processes answers only now and then: a power of two. */
    private static final int REAP_EVERY = 16;

    private final ShmContext context;
    private final Peer peer;
    private final PathMemory memory;
    private final RingSender out;
    private final Deliveries deliveries;
    private final RingReceiver in;
    private final SpinLock sending = new SpinLock();
    private final SpinLock reaping = new SpinLock();
    private final SpinLock receiving = new SpinLock();

    // the sender of a slot's message: written before the slot is published, read after it was answered
    private final @Nullable ShmSendQueue[] slotQueue = new ShmSendQueue[RingLayout.SLOTS];
    private final long[] slotPosition = new long[RingLayout.SLOTS];

    private final long eidHigh;
    private final long eidLow;
    private final long remoteBase;
    private int turns; // of all pollers, without order

    // Whether the receiving thread replies before it looks for the next message. If so, the answer is held back until
    // the
    // reply is out. It is a guess, read without ordering: a wrong one delays an answer until the next poll, or the
    // engine's
    // next tick.
    private boolean replies;
    private boolean unreplied; // messages came in after the last one went out
    private volatile boolean dead;

    // guarded by the send lock
    private final LinkedHashSet<Flow> abandoned = new LinkedHashSet<>();
    private boolean anyAbandoned; // read without the lock when answers are processed, and checked again later

    /** Messages from one local queue to one of the peer's. */
    private record Flow(int source, int target) {}

    MessagePath(ShmContext context, Peer peer, PathMemory memory) {
        this.context = context;
        this.peer = peer;
        this.memory = memory;
        this.out = new RingSender(memory.outbound());
        this.in = new RingReceiver(memory.inbound());
        this.deliveries = new Deliveries(context, this, in);
        this.eidHigh = peer.eid().high();
        this.eidLow = peer.eid().low();
        this.remoteBase = CompletionRecord.remote(0, peer.uasid(), memory.number());
    }

    Peer peer() {
        return peer;
    }

    int number() {
        return memory.number();
    }

    /** The peer's queue with that id, as records name it. */
    long remote(int queueId) {
        return remoteBase | queueId;
    }

    long eidHigh() {
        return eidHigh;
    }

    long eidLow() {
        return eidLow;
    }

    boolean isDead() {
        return dead;
    }

    // ---- sending; the caller holds the lock of the queue

    /**
     * Writes a message, or the rest of it, to the ring.
     *
     * @return false if the ring is full before the message's end
     */
    boolean send(ShmSendQueue queue, long position, Wqe entry, Lane lane) {
        boolean all;
        sending.acquire();
        try {
            all = sendChunks(queue, position, entry, lane);
        } finally {
            sending.release();
        }
        if (unreplied) {
            reply();
        }
        wakePeer(); // for a part, too: the next one waits for the room that the peer makes
        return all;
    }

    /**
     * Writes a whole message without an immediate to the ring, with its payload next to its header; at most as many bytes
     * as a slot holds.
     *
     * @return false if the ring is full
     */
    boolean sendShort(
            ShmSendQueue queue,
            long position,
            int opcode,
            int flags,
            Lane lane,
            ShmSegment source,
            long at,
            int length) {
        sending.acquire();
        try {
            if (!out.hasSlot()) {
                return false;
            }
            MemorySegment.copy(source.memory, at, out.memory(), out.payloadRoom(0), length);
            int slot = (int) out.position() & (RingLayout.SLOTS - 1);
            slotQueue[slot] = queue;
            slotPosition[slot] = position;
            int solicited = (flags & PostFlags.SOLICITED_BIT) != 0 ? SlotFlags.SOLICITED : 0;
            int slotFlags = SlotFlags.FIRST | SlotFlags.LAST | solicited;
            out.publishShort(opcode, slotFlags, queue.id(), lane.target.queueId(), length);
        } finally {
            sending.release();
        }
        if (unreplied) {
            reply();
        }
        wakePeer();
        return true;
    }

    private boolean sendChunks(ShmSendQueue queue, long position, Wqe entry, Lane lane) {
        long total = entry.opcode == Opcode.WRITE_IMM ? 0 : entry.lengthBytes;
        do {
            if (!sendChunk(queue, position, entry, lane, total)) {
                return false;
            }
        } while (entry.sentBytes < total);
        return true;
    }

    private boolean sendChunk(ShmSendQueue queue, long position, Wqe entry, Lane lane, long total) {
        int chunk = (int) Math.min(total - entry.sentBytes, RingLayout.CHUNK_BYTES);
        long payloadAt = out.hasSlot() ? out.payloadRoom(chunk) : -1;
        if (payloadAt < 0) {
            return false;
        }
        entry.gather(entry.sentBytes, out.memory(), payloadAt, chunk);
        boolean datagram = queue.isDatagram();
        int flags = ((entry.flags & PostFlags.SOLICITED_BIT) != 0 ? SlotFlags.SOLICITED : 0)
                | (datagram ? SlotFlags.DATAGRAM : 0);
        if (entry.sentBytes == 0) {
            flags |= SlotFlags.FIRST;
            if (lane.restart) {
                flags |= SlotFlags.RESTART;
                lane.restart = false;
                if (anyAbandoned) { // this message says it, and to say it later would end this one
                    abandoned.remove(new Flow(queue.id(), lane.target.queueId()));
                }
            }
        }
        if (entry.sentBytes + chunk == total) {
            flags |= SlotFlags.LAST;
        }
        int slot = (int) out.position() & (RingLayout.SLOTS - 1);
        slotQueue[slot] = datagram ? null : queue; // no queue waits for the answer to a datagram
        slotPosition[slot] = position;
        entry.slotsInFlight++;
        entry.sentBytes += chunk;
        out.publish(
                entry.opcode.value(),
                flags,
                queue.id(),
                RingSender.address(lane.target.queueId(), entry.targetHint),
                chunk,
                entry.immediate,
                entry.opcode == Opcode.WRITE_IMM ? entry.lengthBytes : total,
                payloadAt);
        return true;
    }

    /**
     * The rest of a partially sent message is abandoned. The peer is notified, now or when the ring has space again, so
     * that it releases the message's receive work request. The caller holds the lock of the queue.
     */
    void abandonTrain(int source, int target) {
        if (dead) {
            return;
        }
        sending.acquire();
        try {
            abandoned.add(new Flow(source, target));
            tellAbandoned();
        } finally {
            sending.release();
        }
        wakePeer();
    }

    /** Under the send lock: a restarting flow ends its partial message; a NOP does only that. */
    private void tellAbandoned() {
        try {
            while (!abandoned.isEmpty() && out.hasSlot()) {
                Flow flow = abandoned.removeFirst();
                int slot = (int) out.position() & (RingLayout.SLOTS - 1);
                slotQueue[slot] = null;
                int flags = SlotFlags.FIRST | SlotFlags.LAST | SlotFlags.RESTART;
                out.publish(NOP, flags, flow.source(), flow.target(), 0, 0, 0, out.payloadRoom(0));
            }
        } catch (IllegalStateException e) {
            abandoned.clear(); // the rings were unmapped: there is no peer to notify
        }
        anyAbandoned = !abandoned.isEmpty();
    }

    /** Wakes the peer's engine when it sleeps. */
    private void wakePeer() {
        // full fence: our slot or answer is visible before we check whether the peer sleeps; the peer checks after it
        // has
        // set its flag
        VarHandle.fullFence();
        try {
            if (out.takeAsleep()) {
                memory.wakePeer().run();
            }
        } catch (IllegalStateException e) {
            if (!dead) {
                throw e;
            } // unmapped meanwhile: there is no peer to wake
        }
    }

    // ---- progress

    /**
     * Processes arrivals: messages, then answers. Returns the amount of work.
     *
     * @param insist wait for a lock that another thread holds. A polling thread need not, since it polls again. A thread
     *     that is about to sleep must: the holder may have read the ring for the last time just before the message arrived.
     */
    int turn(boolean insist) {
        if (dead) {
            return 0;
        }
        try {
            int received = receive(insist);
            // messages first: answers can wait, but not forever
            return received > 0 && !insist && (++turns & (REAP_EVERY - 1)) != 0 ? received : received + reap(insist);
        } catch (IllegalStateException e) {
            Placement.forgetFence(e);
            return 0; // the rings were taken away: the peer is gone, and the engine says so
        }
    }

    /** Whether a turn would find something. */
    boolean hasWork() {
        if (dead) {
            return false;
        }
        try {
            return in.isReady() || in.isHolding() || out.peekAnswer() != 0;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private static boolean take(SpinLock lock, boolean insist) {
        if (insist) {
            lock.acquire();
            return true;
        }
        return lock.tryAcquire();
    }

    private int receive(boolean insist) {
        if (!in.isReady()) {
            if (unreplied || in.isHolding()) {
                noReply(insist);
            }
            return 0;
        }
        if (!take(receiving, insist)) {
            return 0;
        }
        int count = 0;
        boolean hold = replies && !insist;
        try {
            int taken = in.take();
            while (taken == RingReceiver.TAKEN && deliveries.deliver()) {
                taken = ++count < BATCH ? in.take() : RingReceiver.NONE;
            }
            if (taken != RingReceiver.NONE) {
                dead = true; // nothing more is believed of it, nor sent to it
                context.broken(this, "its message ring holds an impossible slot: " + in.describe());
            }
            hold &= count == 1;
            if (!hold) {
                in.tellHeld();
            }
        } finally {
            receiving.release();
        }
        unreplied = true;
        if (!hold) {
            wakePeer();
        }
        return count;
    }

    /** A thread that has not replied to the last message polls for messages. */
    private void noReply(boolean insist) {
        unreplied = false;
        replies = false;
        if (in.isHolding() && take(receiving, insist)) {
            tellHeld();
            wakePeer();
        }
    }

    /** A message was sent after one was received: the answer to that one follows it. The caller wakes the peer. */
    private void reply() {
        unreplied = false;
        replies = true;
        if (in.isHolding() && receiving.tryAcquire()) {
            tellHeld();
        }
    }

    private void tellHeld() {
        try {
            in.tellHeld();
        } finally {
            receiving.release();
        }
    }

    private int reap(boolean insist) {
        if (out.peekAnswer() == 0 || !take(reaping, insist)) {
            return 0;
        }
        int count = 0;
        try {
            long word = out.peekAnswer();
            while (count < BATCH && word != 0) {
                ShmSendQueue queue = slotQueue[(int) out.reaped() & (RingLayout.SLOTS - 1)];
                if (queue == null) { // no queue waits for this one
                    out.reap();
                    count++;
                } else {
                    count += queue.answered(this, BATCH - count);
                }
                word = out.peekAnswer();
            }
            if (anyAbandoned) {
                tellAbandonedNow();
            }
        } finally {
            reaping.release();
        }
        return count;
    }

    /**
     * Processes the answers to the oldest slots, as long as they carried messages of that queue, and passes them to its
     * window. The caller holds the lock of the queue, and the answer lock. Returns how many; there is at least one.
     */
    int reapFor(ShmSendQueue queue, SendWindow window, int most) {
        int count = 0;
        for (long word = out.peekAnswer(); word != 0 && count < most; word = out.peekAnswer()) {
            int slot = (int) out.reaped() & (RingLayout.SLOTS - 1);
            if (slotQueue[slot] != queue) {
                break;
            }
            long position = slotPosition[slot];
            out.reap();
            window.answered(position, RingSender.answerOf(word), RingSender.argumentOf(word));
            count++;
        }
        return count;
    }

    private void tellAbandonedNow() {
        sending.acquire();
        try {
            tellAbandoned();
        } finally {
            sending.release();
        }
        wakePeer();
    }

    /** This thread is about to sleep: a later message or answer wakes it. The caller fences and checks again. */
    void askForWakeUp() {
        if (dead) {
            return;
        }
        try {
            in.setAsleep();
        } catch (IllegalStateException e) {
            // unmapped: the engine detects the peer's end by the control socket
            dead = true;
        }
    }

    /** No message is delivered to that queue any more when this returns. */
    void abandon(Predicate<Inbound> closed) {
        receiving.acquire();
        try {
            deliveries.abandon(closed);
        } finally {
            receiving.release();
        }
    }

    /** The peer is gone: nothing is sent or received any more. */
    void die() {
        dead = true;
        reaping.acquire();
        receiving.acquire();
        deliveries.abandon();
        sending.acquire(); // last, as everywhere: its holder waits for no other lock
        try {
            Arrays.fill(slotQueue, null);
            memory.close();
        } finally {
            sending.release();
            receiving.release();
            reaping.release();
        }
    }

    // Opcode.value() as a constant
    private static final int NOP = Opcode.NOP.value();

    /** For inspection: plain reads of fields that other threads write. */
    Resource describe() {
        return Resource.builder(Resource.Kind.TP, number())
                .add("tpn", number())
                .add("peer", peer.eid() + "/" + peer.uasid())
                .add("peer_process", peer.pid() == 0 ? "unknown" : "pid " + peer.pid())
                .add("state", dead ? "ERROR" : "READY")
                .add("tx_slots", out.position())
                .add("tx_unanswered", out.position() - out.reaped())
                .add("rx_slots", in.position())
                .build();
    }

    @Override
    public String toString() {
        return "path " + number() + " to " + peer;
    }
}
