package io.urma4j.shm;

import io.urma4j.Counters;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.shm.bounce.BounceRequest;
import io.urma4j.shm.control.PathMemory;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.shm.ring.RingSender;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.SpinLock;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a path: the ring to the peer, shared by all send queues of the context, and its answers.
 *
 * <p>Two locks, each held for a few slots: to send, and to process answers. The lock order is answers → queue → send → JFC,
 * where a queue's lock may come before each.
 */
final class SendPath {
    /** Maximum answers of one visit, so that no path starves the others. */
    private static final int BATCH = 64;

    // Opcode.value() as a constant
    private static final int NOP = Opcode.NOP.value();

    private final PathMemory memory;
    private final RingSender out;
    private final DelayedAnswers delayed;
    private final PathCounts counts = new PathCounts();
    private final SpinLock sending = new SpinLock();
    private final SpinLock reaping = new SpinLock();
    private volatile boolean dead;

    // the sender of a slot's message: written before the slot is published, read after it was answered
    private final @Nullable SendWindow[] slotWindow = new SendWindow[RingLayout.SLOTS];
    private final long[] slotPosition = new long[RingLayout.SLOTS];

    // guarded by the send lock
    private final LinkedHashSet<Flow> abandoned = new LinkedHashSet<>();
    private boolean anyAbandoned; // read without the lock when answers are processed, and checked again later

    /** Messages from one local queue to one of the peer's. */
    private record Flow(int source, int target) {}

    /** Sends into the outbound ring of {@code memory}; answers to the peer's messages follow what is sent. */
    SendPath(PathMemory memory, DelayedAnswers delayed) {
        this.memory = memory;
        this.out = new RingSender(memory.outbound());
        this.delayed = delayed;
    }

    /** Whether nothing more is sent to the peer, nor believed of it. */
    boolean isDead() {
        return dead;
    }

    void fail() {
        dead = true;
    }

    /** A message of the peer that was admitted before the call gets no record after it. The caller holds no lock. */
    void awaitAdmitted() {
        delayed.awaitReceiver();
    }

    // ---- sending; the caller holds the lock of the queue

    /**
     * Writes a message, or the rest of it, to the ring.
     *
     * @return false if the ring is full before the message's end, or what was staged of it ends before
     */
    boolean send(SendWindow window, long position, Wqe entry, Lane lane) {
        boolean all;
        sending.acquire();
        try {
            all = sendChunks(window, position, entry, lane);
        } finally {
            sending.release();
        }
        delayed.sent();
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
            SendWindow window,
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
                counts.full(out.position());
                return false;
            }
            MemorySegment.copy(source.memory, at, out.memory(), out.payloadRoom(0), length);
            int slot = (int) out.position() & (RingLayout.SLOTS - 1);
            slotWindow[slot] = window;
            slotPosition[slot] = position;
            int solicited = (flags & PostFlags.SOLICITED_BIT) != 0 ? SlotFlags.SOLICITED : 0;
            int slotFlags = SlotFlags.FIRST | SlotFlags.LAST | solicited;
            out.publishShort(opcode, slotFlags, window.queueId(), lane.queueId, length);
        } finally {
            sending.release();
        }
        delayed.sent();
        wakePeer();
        return true;
    }

    /**
     * Writes a request for device memory to the ring: its result comes another way.
     *
     * @return false if the ring is full
     */
    boolean request(MemorySegment request) {
        int length = (int) request.byteSize();
        sending.acquire();
        try {
            if (!out.hasSlot()) {
                counts.full(out.position());
                return false;
            }
            long room = out.payloadRoom(length);
            MemorySegment.copy(request, 0, out.memory(), room, length);
            slotWindow[(int) out.position() & (RingLayout.SLOTS - 1)] = null; // no queue waits for the answer
            out.publishShort(BounceRequest.SLOT_OPCODE, SlotFlags.FIRST | SlotFlags.LAST, 0, 0, length);
        } finally {
            sending.release();
        }
        delayed.sent();
        wakePeer();
        return true;
    }

    private boolean sendChunks(SendWindow window, long position, Wqe entry, Lane lane) {
        long total = entry.messageBytes();
        do {
            if (!sendChunk(window, position, entry, lane, total)) {
                return false;
            }
        } while (entry.sentBytes < total && !entry.needsCopyEngine());
        return entry.sentBytes >= total;
    }

    private boolean sendChunk(SendWindow window, long position, Wqe entry, Lane lane, long total) {
        int chunk = (int) Math.min(total - entry.sentBytes, RingLayout.CHUNK_BYTES);
        long payloadAt = out.hasSlot() ? out.payloadRoom(chunk) : -1;
        if (payloadAt < 0) {
            counts.full(out.position());
            return false;
        }
        entry.gather(entry.sentBytes, out.memory(), payloadAt, chunk);
        boolean datagram = window.isDatagram();
        int flags = ((entry.flags & PostFlags.SOLICITED_BIT) != 0 ? SlotFlags.SOLICITED : 0)
                | (datagram ? SlotFlags.DATAGRAM : 0);
        if (entry.sentBytes == 0) {
            flags |= SlotFlags.FIRST;
            if (lane.restart) {
                flags |= SlotFlags.RESTART;
                lane.restart = false;
                entry.restarts = true;
                if (anyAbandoned) { // this message says it, and to say it later would end this one
                    abandoned.remove(new Flow(window.queueId(), lane.queueId));
                }
            }
        } else {
            counts.laterChunk();
        }
        if (entry.sentBytes + chunk == total) {
            flags |= SlotFlags.LAST;
        }
        int slot = (int) out.position() & (RingLayout.SLOTS - 1);
        slotWindow[slot] = datagram ? null : window; // no queue waits for the answer to a datagram
        slotPosition[slot] = position;
        entry.slotsInFlight++;
        entry.sentBytes += chunk;
        out.publish(
                entry.messageOpcode().value(),
                flags,
                window.queueId(),
                RingLayout.address(lane.queueId, entry.targetHint),
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
                slotWindow[slot] = null;
                int flags = SlotFlags.FIRST | SlotFlags.LAST | SlotFlags.RESTART;
                out.publish(NOP, flags, flow.source(), flow.target(), 0, 0, 0, out.payloadRoom(0));
            }
        } catch (IllegalStateException e) {
            Placement.forgetFence(e);
            abandoned.clear(); // the rings were unmapped: there is no peer to notify
        }
        anyAbandoned = !abandoned.isEmpty();
    }

    /** Wakes the peer's engine when it sleeps. */
    void wakePeer() {
        // full fence: our slot or answer is visible before we check whether the peer sleeps; the peer checks after it
        // has
        // set its flag
        VarHandle.fullFence();
        try {
            if (out.takeAsleep()) {
                counts.wakeUp();
                memory.wakePeer().run();
            }
        } catch (IllegalStateException e) {
            if (!dead) {
                throw e;
            }
            Placement.forgetFence(e); // unmapped meanwhile: there is no peer to wake
        }
    }

    // ---- answers

    /** Whether a slot was answered. */
    boolean hasAnswer() {
        return out.peekAnswer() != 0;
    }

    /** How many slots were answered, and the answers processed. Any thread. */
    long answered() {
        return out.answered();
    }

    /** Whether the peer owes an answer, and has given none that waits to be processed. Any thread. */
    boolean awaitsAnswer() {
        try {
            return out.awaitsAnswer();
        } catch (IllegalStateException e) {
            Placement.forgetFence(e);
            return true; // the rings were unmapped, and no answer will come
        }
    }

    /** Processes answers; returns how many. */
    int reap(boolean insist) {
        if (out.peekAnswer() == 0 || !reaping.acquire(insist)) {
            return 0;
        }
        int count = 0;
        try {
            long word = out.peekAnswer();
            while (count < BATCH && word != 0) {
                SendWindow window = slotWindow[(int) out.reaped() & (RingLayout.SLOTS - 1)];
                if (window == null) { // no queue waits for this one
                    out.reap();
                    count++;
                } else {
                    count += window.reap(this, BATCH - count);
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
    int reapFor(SendWindow window, int most) {
        int count = 0;
        for (long word = out.peekAnswer(); word != 0 && count < most; word = out.peekAnswer()) {
            int slot = (int) out.reaped() & (RingLayout.SLOTS - 1);
            if (slotWindow[slot] != window) {
                break;
            }
            long position = slotPosition[slot];
            out.reap();
            window.answered(position, RingLayout.answerOf(word), RingLayout.argumentOf(word));
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

    /** The peer is gone: unmaps the rings when no thread sends or processes answers. */
    void close() {
        reaping.acquire();
        sending.acquire(); // last, as everywhere: its holder waits for no other lock
        try {
            Arrays.fill(slotWindow, null);
            memory.close();
        } finally {
            sending.release();
            reaping.release();
        }
    }

    /** What the path has counted: plain reads of what others write. Any thread. */
    Counters counters(RingReceiver in, long laterChunksReceived) {
        return counts.counters(out, in, laterChunksReceived);
    }
}
