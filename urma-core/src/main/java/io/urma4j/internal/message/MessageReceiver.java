package io.urma4j.internal.message;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.Opcode;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.CompletionPort;
import io.urma4j.internal.Nanos;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;

/**
 * The receiving half of a {@link MessageChannel}: a JFR whose buffers are handed in again as soon as their message was
 * copied. One thread at a time waits for records, the others wait for it.
 */
public final class MessageReceiver implements AutoCloseable {
    private static final int BATCH_RECORDS = 16;
    private static final int LINE_BYTES = 64; // of a cache

    private final Object owner;
    private final BiPredicate<JettyDescriptor, JettyId> leadsTo;
    private final long strideBytes;
    private final int maxMessageBytes;
    private final ClosingOrder parts = new ClosingOrder(this);
    private final LocalSegment buffers;
    private final CompletionPort port;
    private final Jfr jfr;

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Message> inbox = new ArrayDeque<>();
    private final LongAdder received = new LongAdder(); // these are read without the lock, which a waiting thread holds
    private final LongAdder tooLong = new LongAdder();
    private final LongAdder others = new LongAdder();
    private final LongAdder badReplyAddresses = new LongAdder();
    private volatile boolean closed;

    public MessageReceiver(
            UrmaContext context,
            MessageChannel.Options options,
            Object owner,
            BiPredicate<JettyDescriptor, JettyId> leadsTo) {
        this.owner = owner;
        this.leadsTo = leadsTo;
        this.maxMessageBytes = options.maxMessageBytes();
        this.strideBytes = strideBytes(maxMessageBytes);
        try {
            SharedMemory memory = parts.add(context.allocate(strideBytes * options.receiveBuffers()), 0);
            buffers = parts.add(context.register(memory, Access.LOCAL_ONLY), 0);
            // the JFR's depth may be rounded up, but no more buffers are handed in than were asked for
            port = parts.add(new CompletionPort(context, options.receiveBuffers(), BATCH_RECORDS), 0);
            JfrConfig config = JfrConfig.builder()
                    .depth(options.receiveBuffers())
                    .maxSges(1)
                    .build();
            jfr = parts.add(context.createJfr(port.jfc(), config), 0);
            for (int i = 0; i < options.receiveBuffers(); i++) {
                handIn(i);
            }
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    /** Distance of buffers: no two share a cache line. */
    static long strideBytes(int maxMessageBytes) {
        return (maxMessageBytes + LINE_BYTES - 1L) & -LINE_BYTES;
    }

    public Jfr jfr() {
        return jfr;
    }

    private void handIn(long buffer) {
        if (!jfr.receive(buffers, buffer * strideBytes, maxMessageBytes, buffer)) {
            throw new UrmaException(UrmaStatus.FAIL, owner, jfr + " has no room for buffer " + buffer);
        }
    }

    /** The oldest message; empty when none came in time. */
    public Optional<Message> receive(Duration timeout) throws InterruptedException {
        long deadline = Nanos.deadlineAfter(timeout);
        if (!lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            checkOpen();
            return Optional.empty();
        }
        try {
            checkOpen();
            while (inbox.isEmpty()) {
                long left = Math.max(0, deadline - System.nanoTime());
                take(port.await(Duration.ofNanos(left)));
                if (left == 0) {
                    break;
                }
            }
            return Optional.ofNullable(inbox.poll());
        } catch (UrmaException e) {
            checkOpen(); // whatever was found closed first
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** The oldest message that has arrived; empty if there is none, or if another thread takes messages just now. */
    public Optional<Message> poll() {
        if (!lock.tryLock()) {
            return Optional.empty();
        }
        try {
            checkOpen();
            if (inbox.isEmpty()) {
                take(port.poll());
            }
            return Optional.ofNullable(inbox.poll());
        } catch (UrmaException e) {
            checkOpen(); // whatever was found closed first
            throw e;
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw Checks.closed(owner);
        }
    }

    /** Copies what arrived, and hands the buffers in again. */
    private void take(int records) {
        CompletionBatch batch = port.batch();
        for (int i = 0; i < records; i++) {
            if (batch.status(i) == CompletionStatus.LOC_LEN_ERR) {
                tooLong.increment(); // its sender gets a failure
            } else if (!batch.isSuccess(i) || !isMessage(batch.opcode(i))) {
                others.increment(); // WRITE_IMM by the queue level: its bytes are elsewhere
            } else {
                inbox.add(message(batch, i));
                received.increment();
            }
            handIn(batch.userContext(i));
        }
    }

    private static boolean isMessage(Opcode opcode) {
        return opcode == Opcode.SEND || opcode == Opcode.SEND_IMM || opcode == Opcode.SEND_INVALIDATE;
    }

    private Message message(CompletionBatch batch, int index) {
        byte[] bytes = new byte[(int) batch.lengthBytes(index)];
        MemorySegment.copy(
                buffers.memory(),
                ValueLayout.JAVA_BYTE,
                batch.userContext(index) * strideBytes,
                bytes,
                0,
                bytes.length);
        JettyId sender = batch.source(index);
        boolean hasImmediate = batch.hasImmediate(index);
        long immediate = hasImmediate ? batch.immediate(index) : 0;
        if (hasImmediate && immediate == ReplyEnvelope.MARK) {
            Message opened = ReplyEnvelope.open(bytes, sender, leadsTo);
            if (opened != null) {
                return opened;
            }
            badReplyAddresses.increment();
        }
        return new Message(
                sender,
                MemorySegment.ofArray(bytes).asReadOnly(),
                hasImmediate ? OptionalLong.of(immediate) : OptionalLong.empty(),
                Optional.empty());
    }

    /** With the number of imports that the channel keeps for answers. */
    public Counters counters(int replyPeers) {
        return Counters.builder()
                .add("received", received.sum())
                .add("too_long", tooLong.sum())
                .add("others", others.sum())
                .add("bad_reply_addresses", badReplyAddresses.sum())
                .add("reply_peers", replyPeers)
                .build();
    }

    /** Closes it; waiting threads see the channel closed. */
    @Override
    public void close() {
        closed = true;
        jfr.close();
        port.close();
        lock.lock(); // no thread copies any more
        try {
            ClosingOrder.throwIfFailed(parts.closeAll());
        } finally {
            lock.unlock();
        }
    }
}
