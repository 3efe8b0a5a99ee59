package io.urma4j.internal.message;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.Counters;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.MessageChannel;
import io.urma4j.OperationFailedException;
import io.urma4j.SharedMemory;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.CompletionPort;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.ResultExecutors;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a {@link MessageChannel} towards one peer: a JFS, and a buffer per message in flight. There is one
 * per peer, because the records of a queue arrive in the order of its messages: so no peer delays another, nor shares its
 * failures.
 *
 * <p>One of the waiting threads leads. It waits for records without the lock, and wakes the threads of finished messages,
 * and one thread of the buffer queue per free buffer. When its own wait is over, it wakes the last thread of the queue to
 * lead, which leads longest. So a message costs about two wake-ups, however many threads wait. A thread that arrives just
 * when a buffer is free takes it, ahead of the queue. If the first thread of the queue was woken for a buffer that is gone,
 * it gets the next one.
 *
 * <p>A message that fails sends the queue to ERROR (S6.6). The leader then drains the queue, removes the messages that
 * never started, returns it to READY, and posts them again: only messages in progress share the failure.
 *
 * <p>No thread waits for a message that was {@linkplain MessageChannel.Peer#post posted}. The next call takes its record. In case there is
 * none, a task looks for it every few milliseconds, until no message is in flight.
 */
public final class MessageSender implements AutoCloseable {
    private static final int BATCH_RECORDS = 16;
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(20); // above the queue's own 15 s

    private static final Executor LOOKS =
            CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS, ResultExecutors.VIRTUAL_THREADS);

    private final Object owner;
    private final ClosingOrder parts = new ClosingOrder(this);
    private final CompletionPort port;
    private final TargetJetty target;
    private final Jfs jfs;

    private final Object closing = new Object(); // a second close waits for the first
    private final ReentrantLock lock = new ReentrantLock();
    // all below: guarded by the lock
    private final SendBuffers buffers;
    private final ArrayDeque<Sending> line = new ArrayDeque<>(); // for a buffer, in the order of their coming
    private @Nullable Thread leader;
    /** The first thread of the queue was woken for a buffer that another thread took: the next one is reserved for it. */
    private boolean isOwed;

    private final List<Thread> noted = new ArrayList<>(); // to be woken; the leader's
    /** A message failed, and the queue is not READY again. */
    private boolean failed;
    /** The last record of the failed queue was seen. */
    private boolean drained;

    private boolean isLookDue;

    private boolean closed;
    private @Nullable UrmaException broken;
    private long sent;
    private long failures;
    private long wakeUps;

    /** Takes {@code target} over: it is closed with this. */
    public MessageSender(UrmaContext context, MessageChannel.Options options, TargetJetty target, Object owner) {
        this.owner = owner;
        this.target = parts.add(target, 0);
        long strideBytes = MessageReceiver.strideBytes(options.maxMessageBytes());
        int count = options.sendBuffers();
        try {
            SharedMemory memory = parts.add(context.allocate(strideBytes * count), 0);
            LocalSegment segment = parts.add(context.register(memory, Access.LOCAL_ONLY), 0);
            // a record for each message, and one for the marker of an error
            port = parts.add(new CompletionPort(context, count + 1, BATCH_RECORDS), 0);
            JfsConfig config = JfsConfig.builder().depth(count).maxSges(1).build();
            jfs = parts.add(context.createJfs(port.jfc(), config), 0);
            buffers = new SendBuffers(segment, strideBytes, count, jfs, target);
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    public TargetJetty target() {
        return target;
    }

    /** Copies a message into a buffer, and posts it; null if no buffer was free in time. */
    @Nullable
    public Sending begin(MemorySegment payload, OptionalLong immediate, Duration timeout) throws InterruptedException {
        long deadline = Nanos.deadlineAfter(timeout);
        Sending sending = new Sending(payload.byteSize(), immediate);
        lock.lockInterruptibly();
        try {
            checkUsable();
            takeEnded();
            if (isNext(sending) && tryPost(sending, payload)) {
                return sending;
            }
            line.addLast(sending);
            try {
                return awaitUntil(sending, () -> isNext(sending) && tryPost(sending, payload), deadline)
                        ? sending
                        : null;
            } finally {
                leaveLine(sending);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Looks for the records of messages that no thread waits for, until none is in flight. */
    public void lookAfterPosted() {
        lock.lock();
        try {
            lookLater();
        } finally {
            lock.unlock();
        }
    }

    private void lookLater() {
        if (!isLookDue && !closed && buffers.inFlightCount() > 0) {
            isLookDue = true;
            LOOKS.execute(this::look);
        }
    }

    private void look() {
        lock.lock();
        try {
            isLookDue = false;
            takeEnded();
            if (failed && leader == null && !closed && broken == null) {
                lead(0);
            }
            lookLater();
        } catch (UrmaException e) {
            // it is broken, which each later call reports
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            passLead(); // also if it is broken: the sleeping threads must see that
            lock.unlock();
        }
    }

    private boolean isNext(Sending sending) {
        return !failed && (!isOwed || line.peekFirst() == sending);
    }

    private void leaveLine(Sending sending) {
        if (line.peekFirst() == sending) {
            line.removeFirst();
            isOwed = false;
        } else {
            line.remove(sending); // its time is over
        }
        wakeFirst();
        passLead();
    }

    /** Buffers may be free for the first threads of the queue. */
    private void wakeFirst() {
        if (failed) {
            return;
        }
        int left = buffers.freeCount();
        for (Iterator<Sending> first = line.iterator(); left > 0 && first.hasNext(); left--) {
            wake(first.next());
        }
    }

    /** A thread must lead while any thread waits. */
    private void passLead() {
        if (leader != null) {
            return;
        }
        wakeNoted(); // by whoever led last: this thread
        if (!line.isEmpty()) {
            wake(line.getLast());
            return;
        }
        for (Sending sending : buffers.inFlight()) {
            if (sending != null && sending.sleeper != null) {
                wake(sending);
                return;
            }
        }
    }

    /** The leader wakes others after it has released the lock, which they all acquire first. */
    private void wake(Sending sending) {
        Thread sleeper = sending.sleeper;
        if (sleeper == null) {
            return;
        }
        if (Thread.currentThread().equals(leader)) {
            noted.add(sleeper);
        } else {
            LockSupport.unpark(sleeper);
        }
    }

    /** Called by the leader; other threads use {@link #wake}. */
    private void wakeNoted() {
        noted.forEach(LockSupport::unpark);
        noted.clear();
    }

    private void wakeAll() {
        line.forEach(this::wake);
        for (Sending sending : buffers.inFlight()) {
            if (sending != null) {
                wake(sending);
            }
        }
    }

    private boolean tryPost(Sending sending, MemorySegment payload) {
        boolean isPosted = buffers.tryPost(sending, payload);
        if (!isPosted && buffers.freeCount() == 0) {
            isOwed |= line.peekFirst() == sending && sending.wasWoken;
        }
        return isPosted;
    }

    /**
     * Waits until the message was received.
     *
     * @throws OperationFailedException if it was not
     * @throws UrmaException ETIMEOUT if that is not known in time
     */
    public void finish(Sending sending, Duration timeout) throws InterruptedException {
        long deadline = Nanos.deadlineAfter(timeout);
        CompletionStatus result;
        lock.lockInterruptibly();
        try {
            awaitUntil(sending, () -> sending.result != null, deadline);
            result = sending.result;
        } finally {
            passLead();
            lock.unlock();
        }
        if (result == null) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    owner,
                    "a message was not received within " + timeout + "; it may still be delivered");
        }
        if (result != CompletionStatus.SUCCESS) {
            throw ApiAccess.api().failed(owner, "send of " + sending.lengthBytes + " bytes", result);
        }
    }

    /**
     * Waits for {@code reached}, leading if no other thread does; false at the timeout. Under the lock. Only a record, or
     * the end of the channel, may fulfil it: a leader sees nothing else.
     */
    private boolean awaitUntil(Sending sending, BooleanSupplier reached, long deadline) throws InterruptedException {
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
            if (leader == null) {
                lead(Math.max(0, left));
            } else if (!last) {
                sleep(sending, left);
            }
        }
    }

    /** Like a condition's wait, but the woken threads do not pass the lock from one to the next. */
    private void sleep(Sending sending, long nanos) throws InterruptedException {
        sending.sleeper = Thread.currentThread();
        lock.unlock();
        try {
            LockSupport.parkNanos(this, nanos);
        } finally {
            lock.lock();
            sending.sleeper = null;
            sending.wasWoken = true;
            wakeUps++;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private void checkUsable() {
        if (closed) {
            throw Checks.closed(owner);
        }
        if (broken != null) {
            throw new UrmaException(UrmaStatus.FAIL, owner, "its queue could not be restarted", broken);
        }
    }

    private void lead(long timeoutNanos) throws InterruptedException {
        leader = Thread.currentThread();
        try {
            if (!drained) { // else another thread took the last record
                takeRecords(timeoutNanos);
            }
            long deadline = Nanos.deadlineAfter(DRAIN_TIMEOUT);
            while (failed) {
                if (drained) {
                    restart();
                } else if (System.nanoTime() - deadline > 0) {
                    throw new UrmaException(UrmaStatus.ETIMEOUT, jfs, "did not drain within " + DRAIN_TIMEOUT);
                } else {
                    takeRecords(deadline - System.nanoTime());
                }
            }
        } catch (UrmaException e) {
            broken = e;
            wakeAll();
            checkUsable();
        } finally {
            leader = null;
        }
    }

    private void takeRecords(long timeoutNanos) throws InterruptedException {
        int records;
        lock.unlock();
        try {
            wakeNoted();
            records = port.await(Duration.ofNanos(timeoutNanos));
        } finally {
            lock.lock();
        }
        take(records);
        wakeFirst();
    }

    /** Takes the records that are there. Messages that were only posted have no thread that waits for theirs. */
    private void takeEnded() {
        if (leader == null && !closed && buffers.inFlightCount() > 0) {
            take(port.poll());
            wakeFirst();
        }
    }

    private void take(int records) {
        for (int i = 0; i < records; i++) {
            CompletionStatus status = port.batch().status(i);
            drained |=
                    status == CompletionStatus.WR_FLUSH_ERR_DONE || port.batch().isFlushErrDone(i);
            failed |= status != CompletionStatus.SUCCESS;
            if (!status.isMarker()) {
                complete((int) port.batch().userContext(i), status);
            }
        }
    }

    private void complete(int buffer, CompletionStatus status) {
        if (status == CompletionStatus.SUCCESS) {
            sent++;
        } else {
            failures++;
        }
        Sending sending = buffers.release(buffer);
        if (sending != null) {
            sending.result = status;
            wake(sending);
        }
    }

    private void restart() {
        List<Integer> unsent = buffers.restart();
        failed = false;
        drained = false;
        unsent.forEach(buffer -> complete(buffer, CompletionStatus.WR_UNHANDLED));
        wakeFirst();
    }

    public Counters counters() {
        lock.lock();
        try {
            if (closed) {
                throw Checks.closed(owner);
            }
            return Counters.builder()
                    .add("sent", sent)
                    .add("failed", failures)
                    .add("under_way", buffers.inFlightCount())
                    .add("wake_ups", wakeUps)
                    .build();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the sender; messages in flight may be lost, and waiting threads get {@code owner} closed. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            wakeAll();
        } finally {
            lock.unlock();
        }
        synchronized (closing) {
            jfs.close();
            port.close();
            lock.lock(); // no thread copies any more
            try {
                ClosingOrder.throwIfFailed(parts.closeAll());
            } finally {
                lock.unlock();
            }
        }
    }
}
