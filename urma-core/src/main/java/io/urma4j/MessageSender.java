package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Nanos;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a {@link MessageChannel}: a Jetty, and a buffer per message that is under way.
 *
 * <p>Of the threads that wait, one leads: it waits for records without the lock, hands out what they say, and leaves the
 * lead to another when its own message is done.
 *
 * <p>A message that fails sends the Jetty to ERROR (S6.6). The leader then drains the queue, takes the messages that were
 * never started out of it, goes back to READY, and posts them again: only what was started shares the failure.
 */
final class MessageSender implements AutoCloseable {
    private static final int BATCH_RECORDS = 16;
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(20); // above the queue's own 15 s

    private final Object owner;
    private final long strideBytes;
    private final ClosingOrder parts = new ClosingOrder(this);
    private final LocalSegment buffers;
    private final CompletionPort port;
    private final Jetty jetty;
    private final Slot[] slots;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // all below under the lock
    private final ArrayDeque<Slot> free = new ArrayDeque<>();
    private boolean leading;
    /** A message failed, and the queue is not READY again. */
    private boolean failed;
    /** The last record of the failed queue was seen. */
    private boolean drained;

    private boolean closed;
    private @Nullable UrmaException broken;
    private long sent;
    private long sendFailures;

    /** A message under way, and its place in the buffers; all fields under the lock. */
    static final class Slot {
        private final int index;
        private @Nullable TargetJetty target;
        private long lengthBytes;
        private OptionalLong immediate = OptionalLong.empty();
        private @Nullable CompletionStatus result;
        /** Nobody waits for the result any more. */
        private boolean abandoned;

        private Slot(int index) {
            this.index = index;
        }
    }

    MessageSender(UrmaContext context, MessageChannel.Options options, Jfr jfr, Object owner) {
        this.owner = owner;
        this.strideBytes = MessageChannel.strideBytes(options.maxMessageBytes());
        this.slots = new Slot[options.sendBuffers()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot(i);
            free.add(slots[i]);
        }
        try {
            SharedMemory memory = parts.add(context.allocate(strideBytes * slots.length), 0);
            buffers = parts.add(context.register(memory, Access.LOCAL_ONLY), 0);
            // a record for each message, and one for the marker of an error
            port = parts.add(CompletionPort.open(context, slots.length + 1, BATCH_RECORDS), 0);
            JfsConfig config =
                    JfsConfig.builder().depth(slots.length).maxSges(1).build();
            jetty = parts.add(context.createJetty(port.jfc(), jfr, config), 0);
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    Jetty jetty() {
        return jetty;
    }

    /** Takes a buffer, fills and posts it; null when there was no room in time. */
    @Nullable
    Slot begin(TargetJetty target, MemorySegment payload, OptionalLong immediate, Duration timeout)
            throws InterruptedException {
        long deadline = Nanos.deadlineAfter(timeout);
        lock.lockInterruptibly();
        try {
            if (!awaitUntil(() -> !free.isEmpty(), deadline)) {
                return null;
            }
            Slot slot = free.remove();
            boolean posted = false;
            try {
                fill(slot, target, payload, immediate);
                posted = awaitUntil(() -> !failed && post(slot), deadline);
            } finally {
                if (!posted) {
                    release(slot);
                }
            }
            return posted ? slot : null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the message was taken.
     *
     * @throws OperationFailedException when it was not
     * @throws UrmaException ETIMEOUT when that is not known in time
     */
    void finish(Slot slot, Duration timeout) throws InterruptedException {
        long deadline = Nanos.deadlineAfter(timeout);
        CompletionStatus result = null;
        lock.lock();
        try {
            awaitUntil(() -> slot.result != null, deadline);
            result = slot.result;
        } finally {
            if (slot.result != null) {
                release(slot);
            } else {
                slot.abandoned = true; // the buffer is free again when its record comes
            }
            lock.unlock();
        }
        if (result == null) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    owner,
                    "a message was not taken within " + timeout + "; it may still be delivered");
        }
        if (result != CompletionStatus.SUCCESS) {
            throw new OperationFailedException(owner, "send", result);
        }
    }

    private void fill(Slot slot, TargetJetty target, MemorySegment payload, OptionalLong immediate) {
        slot.target = target;
        slot.lengthBytes = payload.byteSize();
        slot.immediate = immediate;
        slot.result = null;
        slot.abandoned = false;
        MemorySegment.copy(payload, 0, buffers.memory(), slot.index * strideBytes, slot.lengthBytes);
    }

    private boolean post(Slot slot) {
        return jetty.jfs()
                .send(
                        slot.immediate.isPresent() ? Opcode.SEND_IMM : Opcode.SEND,
                        slot.target,
                        buffers,
                        slot.index * strideBytes,
                        slot.lengthBytes,
                        slot.immediate.orElse(0),
                        slot.index,
                        PostFlags.DEFAULT);
    }

    private void release(Slot slot) {
        slot.target = null;
        free.add(slot);
        changed.signalAll();
    }

    /** Waits for {@code reached}, leading when nobody else does; false when the time is over. Under the lock. */
    private boolean awaitUntil(BooleanSupplier reached, long deadline) throws InterruptedException {
        boolean last = false;
        while (true) {
            checkUsable();
            if (reached.getAsBoolean()) {
                return true;
            }
            if (last) {
                return false;
            }
            long left = deadline - System.nanoTime();
            last = left <= 0; // without time, too, one look at the records
            if (!leading) {
                lead(Math.max(0, left));
            } else if (!last) {
                changed.awaitNanos(left);
            }
        }
    }

    private void checkUsable() {
        if (closed) {
            throw Checks.closed(owner);
        }
        if (broken != null) {
            throw new UrmaException(UrmaStatus.FAIL, owner, "its queue could not be started again", broken);
        }
    }

    private void lead(long timeoutNanos) throws InterruptedException {
        leading = true;
        try {
            takeRecords(timeoutNanos);
            long deadline = Nanos.deadlineAfter(DRAIN_TIMEOUT);
            while (failed) {
                if (drained) {
                    restart();
                } else if (System.nanoTime() - deadline > 0) {
                    throw new UrmaException(UrmaStatus.ETIMEOUT, jetty, "was not drained within " + DRAIN_TIMEOUT);
                } else {
                    takeRecords(deadline - System.nanoTime());
                }
            }
        } catch (UrmaException e) {
            broken = e;
            checkUsable();
        } finally {
            leading = false;
            changed.signalAll(); // results, and the lead
        }
    }

    private void takeRecords(long timeoutNanos) throws InterruptedException {
        int records;
        lock.unlock();
        try {
            records = port.await(Duration.ofNanos(timeoutNanos));
        } finally {
            lock.lock();
        }
        for (int i = 0; i < records; i++) {
            CompletionStatus status = port.batch().status(i);
            drained |=
                    status == CompletionStatus.WR_FLUSH_ERR_DONE || port.batch().isFlushErrDone(i);
            failed |= status != CompletionStatus.SUCCESS;
            if (!status.isMarker()) {
                complete(slots[(int) port.batch().userContext(i)], status);
            }
        }
    }

    private void complete(Slot slot, CompletionStatus status) {
        if (status == CompletionStatus.SUCCESS) {
            sent++;
        } else {
            sendFailures++;
        }
        slot.result = status;
        if (slot.abandoned) {
            release(slot);
        }
    }

    /** Brings the drained queue back to READY, and posts again what was never started. */
    private void restart() {
        List<Slot> again = new ArrayList<>();
        for (Completion unstarted : jetty.jfs().flushAll()) {
            again.add(slots[(int) unstarted.userContext()]);
        }
        jetty.modify(QueueState.RESET);
        jetty.modify(QueueState.READY);
        failed = false;
        drained = false;
        for (Slot slot : again) {
            postAgain(slot);
        }
    }

    private void postAgain(Slot slot) {
        try {
            if (!slot.abandoned && post(slot)) {
                return;
            }
        } catch (UrmaException e) {
            // its target was closed meanwhile: it stays unsent
        }
        complete(slot, CompletionStatus.WR_UNHANDLED);
    }

    void count(Counters.Builder counters) {
        lock.lock();
        try {
            counters.add("sent", sent)
                    .add("send_failures", sendFailures)
                    .add("sending", (long) slots.length - free.size());
        } finally {
            lock.unlock();
        }
    }

    /** Ends it; messages under way are lost or not, and who waits sees the channel closed. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        jetty.close();
        port.close();
        lock.lock(); // nobody copies any more
        try {
            MessageChannel.throwIfFailed(parts.closeAll());
        } finally {
            lock.unlock();
        }
    }
}
