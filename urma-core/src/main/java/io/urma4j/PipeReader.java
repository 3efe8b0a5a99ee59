package io.urma4j;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.pipe.PipeHome;
import io.urma4j.internal.pipe.PipeLayout;
import io.urma4j.internal.pipe.ReaderPace;
import io.urma4j.internal.pipe.ReaderSleep;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The reading end of a pipe. A pipe carries messages in order from one thread in another context to one thread here, through
 * the reader's memory, which the writer accesses directly. Created by {@link UrmaContext#openPipe}.
 *
 * <pre>{@code
 * try (PipeReader reader = context.openPipe()) {
 *     print(reader.share());                            // for any side channel
 *     while (!reader.hasEnded()) {
 *         reader.poll((memory, offset, lengthBytes) -> ..., 64);
 *     }
 * }
 *
 * try (PipeWriter writer = context.openPipeTo(line)) {      // elsewhere
 *     writer.send(message, Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>A pipe is the fastest way to send a message: it needs no queue, no record, and no posted buffer. If the device maps
 * segments, a message costs one copy, and crosses as fast as its cache lines. A reader {@linkplain #poll polls}, or sleeps in
 * {@link #await} until something arrives, or waits in a selector through {@link #channel}. A pipe has one sender; a {@link
 * MessageChannel} receives messages of many.
 *
 * <p>A pipe has one writer in its life. A writer that dies leaves only whole messages, and the reader finds that no writer
 * {@linkplain #isConnected is connected}. A hostile writer can break only this pipe, which {@link #poll} then reports.
 *
 * <p>For one thread at a time; any thread may call {@link #close}. Reading allocates nothing.
 */
public final class PipeReader implements AutoCloseable {
    /** Default capacity of a pipe: 1 MiB. */
    public static final int DEFAULT_CAPACITY_BYTES = 1 << 20;

    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final int LOOKS = 256; // before sleeping: about as long as a sleep and its wake-up take
    private static final long SETTLE_NANOS = 20_000; // many times what a store needs to leave a CPU's store buffer
    private static final long NAP_NANOS = 250_000_000; // then a poll: a writer that died wakes no reader
    private static final int ROUNDS = 8; // of an await that has no time left, whatever wakes it
    private static final int TELLS_A_ROUND = 8; // how often the writer hears what was taken, at least

    private final PipeHome home;
    private final int capacityBytes;
    private final MemorySegment memory;
    private final MemorySegment readable;
    private final Lifetime life = new Lifetime(this);

    private volatile @Nullable ReaderSleep sleep; // null until it sleeps for the first time

    private int run; // messages since the last look that found nothing
    private final ReaderPace pace = new ReaderPace();
    private long taken; // bytes of frames, since the first one
    private long told; // of them the writer knows

    private final AtomicLong received = new AtomicLong(); // messages; written by the polling thread alone
    private volatile boolean ended;

    PipeReader(PipeHome home) {
        this.home = home;
        this.capacityBytes = home.capacityBytes();
        this.memory = home.memory();
        this.readable = memory.asReadOnly();
    }

    /** Address and token as one line, with which one peer can become its writer. */
    public String share() {
        life.checkOpen();
        return home.share();
    }

    /**
     * Publishes the pipe under a name for processes of this user on this host, until it is closed; {@link
     * UrmaContext#openPipeTo} finds it by {@code name:NAME}.
     *
     * @param name 1…255 characters, letters, digits, {@code . _ -}
     * @throws UrmaException EEXIST if the name is taken
     */
    public void publish(String name) {
        life.checkOpen();
        home.publish(name);
    }

    /** Maximum message size. */
    public int maxMessageBytes() {
        return PipeLayout.maxMessageBytes(capacityBytes);
    }

    /** Receives each message in place. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Handles a message.
         *
         * @param memory read-only, and valid only until this method returns. A hostile writer can change the bytes
         *     meanwhile: copy before checking unless the writer is trusted
         */
        void onMessage(MemorySegment memory, long offset, int lengthBytes);
    }

    /**
     * Passes arrived messages to the handler, oldest first, at most {@code limit}. The first message after an empty poll is
     * passed alone, so that the caller can reply at once. Never waits; if a writer keeps sending, an empty poll takes up to
     * 7 µs, so that the writer gets ahead. An exception of {@code handler} propagates; its message counts as read.
     *
     * @return the number of messages
     * @throws UrmaException FAIL if the writer broke the protocol: earlier messages have been read, later ones are lost
     */
    public int poll(Handler handler, int limit) {
        life.checkOpen();
        try {
            // the caller may reply to the first message before the next poll, which takes a line from the writer
            return take(handler, run == 0 ? Math.min(limit, 1) : limit);
        } catch (IllegalStateException e) {
            if (!life.isClosed()) {
                throw e; // the handler's
            }
            Placement.forgetFence(e);
            throw Checks.closed(this);
        }
    }

    private int take(Handler handler, int limit) {
        long next = taken;
        int count = 0;
        long word = 0;
        while (count < limit) {
            long at = next & (capacityBytes - 1);
            long offset = PipeLayout.FRAMES_AT + at;
            word = (long) U64.getAcquire(memory, offset);
            if (PipeLayout.isMessage(word)) {
                int lengthBytes = PipeLayout.lengthBytes(word);
                long frameBytes = PipeLayout.frameBytes(lengthBytes);
                if (lengthBytes < 0 || at + frameBytes >= capacityBytes) {
                    break;
                }
                next += frameBytes;
                taken = next; // before the handler, which may throw
                count++;
                received.lazySet(received.getPlain() + 1);
                handler.onMessage(readable, offset + PipeLayout.messageAt(lengthBytes), lengthBytes);
                next = taken; // the handler may have polled
            } else if (word == PipeLayout.TURN && at != 0) {
                next += capacityBytes - at;
                taken = next;
            } else {
                break;
            }
        }
        run += count;
        if (count < limit) {
            stop(word);
        } else if (next - told >= capacityBytes / TELLS_A_ROUND) {
            tell();
        }
        return count;
    }

    /** Checks {@code word} at the position of the next message. */
    private void stop(long word) {
        if (word == PipeLayout.END) {
            ended = true;
            tell();
        } else if (word != 0) {
            throw broken(word);
        } else {
            idle();
        }
    }

    private void idle() {
        if (taken != told) {
            tell();
        }
        if (run > 0) {
            rest(pace.restAfter(run));
            run = 0;
        }
        home.progress();
    }

    private static void rest(int spins) {
        for (int i = 0; i < spins; i++) {
            Thread.onSpinWait();
        }
    }

    private void tell() {
        told = taken;
        U64.setRelease(memory, PipeLayout.TAKEN_AT, taken);
    }

    private UrmaException broken(long word) {
        return new UrmaException(
                UrmaStatus.FAIL,
                this,
                "its writer broke the protocol: the word 0x" + Long.toHexString(word) + " at byte "
                        + (taken & (capacityBytes - 1)) + " begins no message");
    }

    /**
     * Sleeps until {@link #poll} would return something: a message, the end, or a protocol error. Polls for some
     * microseconds first. A waiting virtual thread releases its carrier.
     *
     * <p>After false, a {@link #channel} becomes readable when something arrives.
     *
     * @param timeout zero polls without waiting; negative waits without limit
     * @return false at the timeout, or soon after the writer has died; see {@link #isConnected}
     * @throws InterruptedException if the thread was interrupted while it waited; its flag is set again, and no message is
     *     lost
     * @throws UrmaException EINVAL if it is closed, also while waiting; ENOMEM if the wake-up queue cannot be created
     */
    public boolean await(Duration timeout) throws InterruptedException {
        life.checkOpen();
        long deadline = System.nanoTime() + Nanos.ofWait(timeout);
        try {
            boolean found = isThereSoon() || sleepUntil(deadline);
            if (found && sleep != null) {
                sleep.disarm();
            }
            return found;
        } catch (IllegalStateException | UrmaException e) {
            if (!life.isClosed()) {
                throw e;
            }
            Placement.forgetFence(e);
            throw Checks.closed(this);
        }
    }

    private boolean sleepUntil(long deadline) throws InterruptedException {
        if (taken != told) {
            tell(); // the writer may be waiting for room
        }
        ReaderSleep sleeping = sleep();
        for (int round = 1; ; round++) {
            sleeping.arm();
            // one check is not enough: the word of a frame may still be in the writer's store buffer after the writer
            // has read the flag
            if (isThereWithin(SETTLE_NANOS)) {
                return true;
            }
            if (isAbandoned()) {
                sleeping.drain(); // nothing arrives any more, so a selector must not find it readable
                return isThere(); // its end arrived before it left
            }
            long left = deadline - System.nanoTime();
            boolean woken = sleeping.await(Math.min(left, NAP_NANOS));
            if (isThere()) {
                return true;
            }
            if (left <= 0 && (!woken || round >= ROUNDS)) {
                return false;
            }
        }
    }

    private boolean isThereSoon() {
        for (int i = 0; i < LOOKS; i++) {
            if (isThere()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private boolean isThereWithin(long nanos) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < nanos) {
            if (isThere()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return isThere();
    }

    private boolean isThere() {
        home.progress();
        long at = taken & (capacityBytes - 1);
        long word = (long) U64.getAcquire(memory, PipeLayout.FRAMES_AT + at);
        return word == PipeLayout.TURN && at != 0
                ? (long) U64.getAcquire(memory, PipeLayout.FRAMES_AT) != 0
                : word != 0;
    }

    /** Whether there was a writer, and is none any more. */
    private boolean isAbandoned() {
        return (long) U64.getAcquire(memory, PipeLayout.CLAIM_AT) != 0 && !home.isImported();
    }

    private ReaderSleep sleep() {
        ReaderSleep now = sleep;
        if (now == null) {
            now = home.createSleep(this);
            sleep = now;
        }
        return now;
    }

    /**
     * A channel for a selector. {@link #poll} until that returns 0, call {@code await(Duration.ZERO)}, and select if that
     * returns false. The channel becomes readable soon after something has arrived, and stays so until the next such call
     * returns false. Spurious readiness is possible, a missed one is not. The death of the writer makes nothing readable;
     * {@link UrmaContext#events} reports it.
     *
     * <p>The channel is non-blocking and always the same; it must not be read. {@link Jfce#channel} describes its end.
     *
     * @throws UrmaException EINVAL when closed; ENOMEM if the process has no file descriptors left
     */
    public SelectableChannel channel() {
        life.checkOpen();
        return sleep().channel();
    }

    /** Whether the writer has closed the pipe, and all messages were read. */
    public boolean hasEnded() {
        return ended;
    }

    /** Whether a writer is connected. */
    public boolean isConnected() {
        life.checkOpen();
        return home.isImported();
    }

    /**
     * Messages received.
     *
     * @throws UrmaException EINVAL when closed
     */
    public Counters counters() {
        life.checkOpen();
        return Counters.builder().add("received", received.get()).build();
    }

    /** Closes the pipe: unread messages are lost, and the writer is refused from now on. Idempotent. */
    @Override
    public void close() {
        if (life.end()) {
            home.close(this);
        }
    }

    @Override
    public String toString() {
        return home.toString();
    }
}
