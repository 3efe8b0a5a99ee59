package io.urma4j;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.ClosingRank;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.pipe.PipeLayout;
import io.urma4j.internal.pipe.ReaderPace;
import io.urma4j.internal.pipe.ReaderSleep;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The reading end of a pipe: messages from one thread elsewhere to one thread here, in order, through memory of ours that
 * the writer reaches by itself. Made by {@link UrmaContext#openPipe}.
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
 * <p>It is the shortest way for a message: no queue, no record, and no buffer to be handed in. Where the device maps
 * segments, a message is one copy, and crosses as fast as its cache lines do. A reader {@linkplain #poll polls} as often as
 * it likes, and sleeps when it likes: {@link #await} until something arrives, or in a selector through {@link #channel}. A
 * pipe has one sender; a {@link MessageChannel} takes messages of many.
 *
 * <p>A pipe has one writer in its life. One that dies leaves whole messages only, and none behind them: the reader finds
 * that {@linkplain #isConnected nobody is connected}. A writer that does not keep the rules can break this pipe, which
 * {@link #poll} then says, and nothing else.
 *
 * <p>For one thread at a time; {@link #close} may come from any. Reading allocates nothing.
 */
public final class PipeReader implements AutoCloseable {
    /** Capacity of a pipe whose maker did not say one: 1 MiB. */
    public static final int DEFAULT_CAPACITY_BYTES = 1 << 20;

    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();
    private static final int LOOKS = 256; // before sleeping: about as long as a sleep and its wake-up take
    private static final long SETTLE_NANOS = 20_000; // many times what a store needs to leave a CPU's store buffer
    private static final long NAP_NANOS = 250_000_000; // then a look: a writer that died wakes nobody
    private static final int ROUNDS = 8; // of an await that has no time left, whatever wakes it
    private static final int TELLS_A_ROUND = 8; // how often the writer hears what was taken, at least

    private final UrmaContext context;
    private final int capacityBytes;
    private final ClosingOrder parts = new ClosingOrder(this);
    private final LocalSegment segment;
    private final MemorySegment memory;
    private final MemorySegment readable;
    /** Where arriving bytes must be placed by somebody: who polls it does. */
    private final @Nullable Jfc progress;

    private final CompletionBatch none = new CompletionBatch(1);
    private final Lifetime life = new Lifetime(this);

    private volatile @Nullable ReaderSleep sleep; // null until it sleeps for the first time

    private int run; // messages since the last look that found nothing
    private final ReaderPace pace = new ReaderPace();
    private long taken; // bytes of frames, since the first one
    private long told; // of them the writer knows

    private final AtomicLong received = new AtomicLong(); // messages; written by the polling thread alone
    private volatile boolean ended;

    private PipeReader(UrmaContext context, int capacityBytes) {
        this.context = context;
        this.capacityBytes = capacityBytes;
        try {
            SharedMemory shared = parts.add(context.allocate(PipeLayout.readerBytes(capacityBytes)), 1);
            memory = shared.segment();
            memory.fill((byte) 0); // every page is there before the first message
            memory.set(JAVA_LONG, PipeLayout.FORMAT_AT, PipeLayout.FORMAT);
            memory.set(JAVA_LONG, PipeLayout.CAPACITY_AT, capacityBytes);
            readable = memory.asReadOnly();
            segment = parts.add(context.register(shared, Access.READ_WRITE_ATOMIC), 0);
            boolean isMapped = context.attributes().capabilities().mappable();
            progress = isMapped ? null : parts.add(context.createJfc(JfcConfig.DEFAULT), 0);
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    static PipeReader open(UrmaContext context, int capacityBytes) {
        if (!PipeLayout.isCapacity(capacityBytes)) {
            throw Checks.invalid(
                    context,
                    "capacityBytes is " + capacityBytes + ", must be a power of two in " + PipeLayout.MIN_CAPACITY + "…"
                            + PipeLayout.MAX_CAPACITY);
        }
        return context.children().add(new PipeReader(context, capacityBytes), ClosingRank.COMFORT);
    }

    /** Address and token as one line, with which one other can be its writer. */
    public String share() {
        life.checkOpen();
        return segment.share();
    }

    /**
     * Makes the pipe visible under a name to processes of this user on this host, until it is closed; {@link UrmaContext#openPipeTo}
     * finds it by {@code name:NAME}.
     *
     * @param name 1…255 characters, letters, digits, {@code . _ -}
     * @throws UrmaException EEXIST when something else has the name
     */
    public void publish(String name) {
        life.checkOpen();
        segment.publish(name);
    }

    /** Longest message. */
    public int maxMessageBytes() {
        return PipeLayout.maxMessageBytes(capacityBytes);
    }

    /** Gets each message where it lies. */
    @FunctionalInterface
    public interface Handler {
        /**
         * A message.
         *
         * @param memory read-only, and good only until this returns. A writer that does not keep the rules can change the
         *     bytes meanwhile: who does not trust it copies before checking
         */
        void onMessage(MemorySegment memory, long offset, int lengthBytes);
    }

    /**
     * Hands over what has arrived, oldest first, at most {@code limit} messages. The first one after a look in vain comes
     * alone, so that it can be answered at once. Never waits; where a writer keeps sending, a look in vain takes up to 7 µs,
     * so that he gets ahead. What {@code handler} throws comes out of here; its message counts as read.
     *
     * @return how many there were
     * @throws UrmaException FAIL when the writer broke the pipe: what was sent before has been read, what came after is
     *     lost
     */
    public int poll(Handler handler, int limit) {
        life.checkOpen();
        try {
            // who waited for the first one may answer it before we look for the next, of which the writer has the line
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

    /** Where the next message would begin, there is {@code word}. */
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
        if (progress != null) {
            progress.poll(none);
        }
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
     * Sleeps until there is something to {@link #poll}: a message, the end, or what broke the pipe. Looks for some
     * microseconds first. A waiting virtual thread frees its carrier.
     *
     * <p>After false, a {@link #channel} becomes readable when something arrives.
     *
     * @param timeout zero asks without waiting; negative waits for ever
     * @return false when the time is over; or, soon after, when the writer has died: {@link #isConnected} tells
     * @throws InterruptedException when the thread was interrupted while it waited, its flag set again; no message is lost
     * @throws UrmaException EINVAL when it is closed, also while waiting; ENOMEM when there is no room for what wakes it
     */
    public boolean await(Duration timeout) throws InterruptedException {
        life.checkOpen();
        long deadline = timeout.isNegative() ? Nanos.deadlineAfter(FOR_EVER) : Nanos.deadlineAfter(timeout);
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
            // not one look: a frame's word may be in its writer's store buffer still, and the flag have been looked at
            if (isThereWithin(SETTLE_NANOS)) {
                return true;
            }
            if (isAbandoned()) {
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
        if (progress != null) {
            progress.poll(none);
        }
        long at = taken & (capacityBytes - 1);
        long word = (long) U64.getAcquire(memory, PipeLayout.FRAMES_AT + at);
        return word == PipeLayout.TURN && at != 0
                ? (long) U64.getAcquire(memory, PipeLayout.FRAMES_AT) != 0
                : word != 0;
    }

    /** Whether there was a writer, and is none. */
    private boolean isAbandoned() {
        return (long) U64.getAcquire(memory, PipeLayout.CLAIM_AT) != 0
                && segment.importing().isEmpty();
    }

    private ReaderSleep sleep() {
        ReaderSleep now = sleep;
        if (now == null) {
            now = parts.add(new ReaderSleep(this, segment, capacityBytes), 0);
            sleep = now;
        }
        return now;
    }

    /**
     * A channel for a selector. {@link #poll} until that is 0, call {@code await(Duration.ZERO)}, and select when it is
     * false: the channel becomes readable soon after something has arrived, and stays so until the next such call that is
     * false. It may be readable for no reason, and never fails to be for one. The death of the writer makes nothing
     * readable; {@link UrmaContext#events} tells of it.
     *
     * <p>It is non-blocking, always the same one, and not to be read from; {@link Jfce#channel} says what its end is.
     *
     * @throws UrmaException EINVAL when closed; ENOMEM when the process has no descriptors left
     */
    public SelectableChannel channel() {
        life.checkOpen();
        return sleep().channel();
    }

    /** Whether the writer has closed the pipe, and everything was read. */
    public boolean hasEnded() {
        return ended;
    }

    /** Whether there is a writer now. */
    public boolean isConnected() {
        life.checkOpen();
        return !segment.importing().isEmpty();
    }

    /** Messages received. */
    public Counters counters() {
        return Counters.builder().add("received", received.get()).build();
    }

    /** Ends it: messages that were not read are lost, and the writer is refused from now on. Idempotent. */
    @Override
    public void close() {
        if (life.end()) {
            context.children().remove(this);
            ClosingOrder.throwIfFailed(parts.closeAll());
        }
    }

    @Override
    public String toString() {
        return "pipe of " + capacityBytes + " bytes at " + context;
    }
}
