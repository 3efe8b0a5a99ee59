package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.TransportPath;
import io.urma4j.shm.bounce.BounceRequest;
import io.urma4j.shm.control.InvalidateResult;
import io.urma4j.shm.control.PathMemory;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.spi.support.Pause;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.SpinLock;
import java.lang.System.Logger.Level;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * The transport path to a peer: a ring in each direction, shared by all queues of both contexts. {@link SendPath} is the
 * half that sends.
 *
 * <p>One thread at a time receives, for a few slots, under a lock; it takes no queue's lock except that of a receive queue.
 */
final class MessagePath {
    private static final System.Logger LOG = System.getLogger(MessagePath.class.getName());

    /** Maximum slots of one visit, so that no path starves the others. */
    private static final int BATCH = 64;

    /** Interval of checks whether a copy into device memory has ended. */
    private static final long NAP_NANOS = 20_000;

    /** A poll that finds messages processes answers only now and then: a power of two. */
    private static final int REAP_EVERY = 16;

    private final Peer peer;
    private final int number;
    private final SendPath out;
    private final Deliveries deliveries;
    private final RingReceiver in;
    private final SpinLock receiving = new SpinLock();
    private final DelayedAnswers delayed;
    private final BiConsumer<MessagePath, String> onBroken;
    private final Consumer<MessagePath> onFilled;

    private volatile boolean isUnmapped;
    private int turns; // of all pollers, without order

    /**
     * The path to {@code peer} over {@code memory}.
     *
     * @param invalidation revokes a token id, as a message of the peer wishes
     * @param onFilled called when the path may go on after a copy into device memory: wakes the engine
     * @param onBroken called with the reason when the peer has put something impossible into its ring
     */
    MessagePath(
            Peer peer,
            PathMemory memory,
            Receivers receivers,
            IntFunction<InvalidateResult> invalidation,
            Consumer<MessagePath> onFilled,
            BiConsumer<MessagePath, String> onBroken) {
        this.peer = peer;
        this.number = memory.number();
        this.in = new RingReceiver(memory.inbound());
        this.delayed = new DelayedAnswers(in, receiving);
        this.out = new SendPath(memory, delayed);
        this.deliveries = new Deliveries(receivers, peer, RemoteName.of(peer, number), invalidation, in);
        this.onFilled = onFilled;
        this.onBroken = onBroken;
    }

    Peer peer() {
        return peer;
    }

    /** Where messages to the peer go. */
    SendPath out() {
        return out;
    }

    // ---- progress

    /**
     * Processes arrivals: messages, then answers. Returns the amount of work.
     *
     * @param insist wait for a lock that another thread holds. A polling thread need not, since it polls again. A thread
     *     that is about to sleep must: the holder may have read the ring for the last time just before the message arrived.
     */
    int turn(boolean insist) {
        if (out.isDead()) {
            return 0;
        }
        try {
            int received = receive(insist);
            // messages first: answers can wait, but not forever
            return received > 0 && !insist && (++turns & (REAP_EVERY - 1)) != 0
                    ? received
                    : received + out.reap(insist);
        } catch (IllegalStateException e) {
            Placement.forgetFence(e);
            return 0; // the rings were taken away: the peer is gone, and the engine says so
        } catch (RuntimeException e) {
            failed(e);
            return 0;
        }
    }

    /** Most likely the peer has found input that no check expects: its path ends, and all others go on. */
    private void failed(RuntimeException cause) {
        LOG.log(Level.DEBUG, () -> this + " fails", cause);
        out.fail();
        onBroken.accept(this, "handling what it sent has failed: " + cause);
    }

    /** Whether a turn would find something. */
    boolean hasWork() {
        if (out.isDead()) {
            return false;
        }
        try {
            return (in.isReady() && !deliveries.isFilling()) || in.isHolding() || out.hasAnswer();
        } catch (IllegalStateException e) {
            Placement.forgetFence(e);
            return false;
        }
    }

    private int receive(boolean insist) {
        if (!in.isReady() || deliveries.isFilling()) {
            if (delayed.areDue() && delayed.noReply(insist)) {
                out.wakePeer();
            }
            return 0;
        }
        if (!receiving.acquire(insist)) {
            return 0;
        }
        int count = 0;
        boolean hold = delayed.mayWait() && !insist;
        try {
            int taken = deliveries.isFilling() ? RingReceiver.NONE : in.take();
            while (taken == RingReceiver.TAKEN && deliver()) {
                boolean goesOn = ++count < BATCH && !deliveries.isFilling();
                taken = goesOn ? in.take() : RingReceiver.NONE;
            }
            beginFill();
            if (taken != RingReceiver.NONE) {
                out.fail(); // nothing more is believed of the peer, nor sent to it
                onBroken.accept(this, "its message ring holds an impossible slot: " + in.describe());
            }
            hold &= count == 1;
            if (!hold) {
                in.tellHeld();
            }
        } finally {
            receiving.release();
        }
        delayed.received();
        if (!hold) {
            out.wakePeer();
        }
        return count;
    }

    private boolean deliver() {
        return in.opcode() == BounceRequest.SLOT_OPCODE ? serve() : deliveries.deliver();
    }

    /** A request for device memory: its result lies in the bounce buffer, later. */
    private boolean serve() {
        // only a short slot has its payload where the fields of a request are aligned
        if (!in.has(SlotFlags.SHORT) || !peer.serve(in.memory(), in.payloadAt(), in.chunkBytes())) {
            return false;
        }
        in.answerTakenLater();
        return true;
    }

    /** Has a thread make the copy into a buffer in device memory, if the last slot needs one. */
    private void beginFill() {
        DeviceFill fill = deliveries.fill();
        if (fill != null && !fill.isStarted) {
            fill.isStarted = true;
            Thread _ = Thread.ofVirtual().name("urma-shm-fill").start(() -> run(fill));
        }
    }

    private void run(DeviceFill fill) {
        CompletionStatus status = CompletionStatus.LOC_OPERATION_ERR; // of a bug, which must not stall the path
        try {
            status = fill.run();
        } finally {
            filled(fill, status);
        }
    }

    private void filled(DeviceFill fill, CompletionStatus status) {
        receiving.acquire();
        try {
            deliveries.filled(fill, status);
            if (!out.isDead()) {
                in.tellHeld();
            }
        } catch (IllegalStateException e) {
            Placement.forgetFence(e); // the ring was taken away
        } finally {
            receiving.release();
        }
        out.wakePeer();
        onFilled.accept(this); // what came behind it waits in the ring
    }

    /** This thread is about to sleep: a later message or answer wakes it. The caller fences and checks again. */
    void askForWakeUp() {
        if (out.isDead()) {
            return;
        }
        try {
            in.setAsleep();
        } catch (IllegalStateException e) {
            Placement.forgetFence(e);
            out.fail(); // unmapped: the engine detects the peer's end by the control socket
        }
    }

    /** No message is delivered to that queue any more when this returns. */
    void abandon(Predicate<Inbound> closed) {
        receiving.acquire();
        try {
            while (deliveries.isFilling(closed)) {
                receiving.release();
                Pause.nanos(this, NAP_NANOS);
                receiving.acquire();
            }
            deliveries.abandon(closed);
        } finally {
            receiving.release();
        }
    }

    /** The peer is gone: nothing is sent or received any more. */
    void die() {
        out.fail();
        receiving.acquire(); // first: no holder of the other locks waits for it
        try {
            deliveries.abandon();
            out.close();
            isUnmapped = true;
        } finally {
            receiving.release();
        }
    }

    /** Whether it has died, and no copy moves bytes of its messages any more. */
    boolean isOver() {
        return isUnmapped && !deliveries.isFilling();
    }

    /** What it has counted: plain reads of what others write. Any thread. */
    TransportPath counted() {
        return new TransportPath(
                number,
                peer.eid() + "/" + peer.uasid(),
                peer.pid() == 0 ? "unknown" : "pid " + peer.pid(),
                out.isDead() ? "ERROR" : "READY",
                out.counters(in, deliveries.laterChunks()));
    }

    @Override
    public String toString() {
        return "path " + number + " to " + peer;
    }
}
