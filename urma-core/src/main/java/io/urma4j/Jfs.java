package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.inspect.MeasuredSendQueue;
import io.urma4j.internal.inspect.PerfMeter;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.WorkRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A send queue: where work requests are posted, alone or as half of a {@link Jetty}.
 *
 * <p>Every post checks its arguments, then goes straight to the provider's queue. It returns true when the work request
 * was accepted and false when the queue is full (S9.2); it throws when the request is malformed, lies outside a
 * segment, or is not allowed, and then the queue lives on and no byte has moved (S7.8). Buffers belong to the library
 * from an accepted post to the record of its completion.
 *
 * <p>The remote range always comes first, then the local one. {@code userContext} comes back in the record.
 *
 * <p>Safe for any number of threads, unless it was made lock-free: then one thread at a time posts.
 *
 * <p>The class is long, since it is one idea in many forms: each kind of work request has a direct post that allocates nothing.
 */
public final class Jfs implements ContextObject {
    private static final int ORDER_BITS =
            PostFlags.FENCE_BIT | PostFlags.RELAXED_BIT | PostFlags.STRONG_BIT | PostFlags.COMPLETION_ORDER_BIT;

    private final UrmaContext context;
    private final Jfc jfc;
    private final @Nullable Jfr jfr;
    private final @Nullable Jfc receiveJfc; // when it is not the JFR's
    private final JfsConfig config;
    private final ProviderSendQueue provider;
    private ProviderSendQueue queue; // the provider's, or while it is measured one before it; plain, since both do
    private final long maxReadWriteBytes;
    private final long maxMessageBytes;
    private final int immediateBits;
    private final boolean datagrams;
    private final Set<Jfc> recordJfcs = new HashSet<>(); // that work requests have named; guarded by itself
    private final Lifetime life = new Lifetime(this);

    private Jfs(
            UrmaContext context,
            Jfc jfc,
            @Nullable Jfr jfr,
            @Nullable Jfc receiveJfc,
            JfsConfig config,
            ProviderSendQueue queue) {
        this.context = context;
        this.jfc = jfc;
        this.jfr = jfr;
        this.receiveJfc = receiveJfc;
        this.config = config;
        this.provider = queue;
        this.queue = queue;
        // mode UM has messages only: no length at all is allowed for the others (S5.1)
        this.maxReadWriteBytes = config.mode() == TransportMode.UM
                ? -1
                : context.attributes().limits().readWriteBytes();
        long messageBytes = context.attributes().limits().messageBytes();
        this.datagrams = config.mode() == TransportMode.UM;
        this.maxMessageBytes =
                datagrams ? Math.min(messageBytes, context.attributes().mtuBytes()) : messageBytes;
        this.immediateBits = context.attributes().capabilities().immediateBits();
    }

    static Jfs create(UrmaContext context, ProviderContext from, Jfc jfc, JfsConfig config) {
        return create(context, from, jfc, config, null, null);
    }

    /** As half of a Jetty when there is a JFR. */
    static Jfs create(
            UrmaContext context,
            ProviderContext from,
            Jfc jfc,
            JfsConfig config,
            @Nullable Jfr jfr,
            @Nullable Jfc receiveJfc) {
        List<Lifetime> needed = needed(jfc, jfr, receiveJfc);
        Object pending = new Object() {
            @Override
            public String toString() {
                return "a send queue that is being made";
            }
        };
        try {
            needed.forEach(need -> need.retain(pending));
            ProviderSendQueue queue = from.createSendQueue(
                    config,
                    jfc.provider(),
                    jfr == null ? null : jfr.provider(),
                    receiveJfc == null ? null : receiveJfc.provider());
            Jfs jfs = new Jfs(context, jfc, jfr, receiveJfc, config, queue);
            jfs.checkBorn();
            needed.forEach(need -> need.retain(jfs));
            jfc.attach(jfs, jfs.depth());
            if (jfr != null && receiveJfc != null) {
                receiveJfc.attach(jfs, jfr.depth());
            }
            return jfs;
        } finally {
            needed.forEach(need -> need.release(pending));
        }
    }

    /** Whoever completes in a JFC hears when it overflows; so this look comes after that. */
    private void checkBorn() {
        try {
            checkJfcs();
        } catch (UrmaException e) {
            provider.close();
            throw e;
        }
    }

    /** Its JFCs must not have overflowed. */
    void checkJfcs() {
        jfc.checkValid(this);
        if (receiveJfc != null) {
            receiveJfc.checkValid(this);
        }
    }

    private static List<Lifetime> needed(Jfc jfc, @Nullable Jfr jfr, @Nullable Jfc receiveJfc) {
        List<Lifetime> needed = new ArrayList<>(List.of(jfc.life()));
        if (jfr != null) {
            needed.add(jfr.life());
        }
        if (receiveJfc != null) {
            needed.add(receiveJfc.life());
        }
        return needed;
    }

    /** Number of this queue in its context. */
    public int id() {
        return provider.id();
    }

    /** How many work requests it takes before records are polled, after rounding. */
    public int depth() {
        return provider.depth();
    }

    public QueueState state() {
        return provider.state();
    }

    public TransportMode mode() {
        return config.mode();
    }

    /** The effective order type. */
    public OrderType orderType() {
        return config.orderType().effective(config.mode());
    }

    /** Copies local bytes into the home's memory. */
    public boolean write(
            RemoteSegment target,
            long targetOffset,
            LocalSegment source,
            long sourceOffset,
            long lengthBytes,
            long userContext) {
        return write(target, targetOffset, source, sourceOffset, lengthBytes, userContext, PostFlags.DEFAULT);
    }

    /** Copies local bytes into the home's memory. */
    public boolean write(
            RemoteSegment target,
            long targetOffset,
            LocalSegment source,
            long sourceOffset,
            long lengthBytes,
            long userContext,
            PostFlags flags) {
        checkLength(lengthBytes);
        return queue.write(
                target.checkedForWrite(context, targetOffset, lengthBytes),
                targetOffset,
                source.checked(context, sourceOffset, lengthBytes),
                sourceOffset,
                lengthBytes,
                userContext,
                flags.bits());
    }

    /** Copies bytes of the home's memory into local memory. */
    public boolean read(
            RemoteSegment source,
            long sourceOffset,
            LocalSegment destination,
            long destinationOffset,
            long lengthBytes,
            long userContext) {
        return read(source, sourceOffset, destination, destinationOffset, lengthBytes, userContext, PostFlags.DEFAULT);
    }

    /** Copies bytes of the home's memory into local memory. */
    public boolean read(
            RemoteSegment source,
            long sourceOffset,
            LocalSegment destination,
            long destinationOffset,
            long lengthBytes,
            long userContext,
            PostFlags flags) {
        checkLength(lengthBytes);
        return queue.read(
                source.checkedForRead(context, sourceOffset, lengthBytes),
                sourceOffset,
                destination.checked(context, destinationOffset, lengthBytes),
                destinationOffset,
                lengthBytes,
                userContext,
                flags.bits());
    }

    /** Stores {@code desired} when the 8 bytes hold {@code expected}; the old value lands locally either way. */
    public boolean compareAndSwap(
            RemoteSegment target,
            long targetOffset,
            LocalSegment result,
            long resultOffset,
            long expected,
            long desired,
            long userContext) {
        return atomic(
                Opcode.CAS,
                target,
                targetOffset,
                result,
                resultOffset,
                8,
                desired,
                expected,
                userContext,
                PostFlags.DEFAULT);
    }

    /** Adds to 8 bytes; the old value lands locally. */
    public boolean fetchAndAdd(
            RemoteSegment target,
            long targetOffset,
            LocalSegment result,
            long resultOffset,
            long delta,
            long userContext) {
        return atomic(
                Opcode.FADD, target, targetOffset, result, resultOffset, 8, delta, 0, userContext, PostFlags.DEFAULT);
    }

    /**
     * Any of the seven atomics, on 4 or 8 naturally aligned bytes in native byte order. The old value lands at
     * {@code resultOffset}, also naturally aligned.
     *
     * @param operand what is swapped in, added, subtracted or combined; its low half for 4 bytes
     * @param expected what CAS compares with; ignored by the others
     */
    public boolean atomic(
            Opcode opcode,
            RemoteSegment target,
            long targetOffset,
            LocalSegment result,
            long resultOffset,
            int sizeBytes,
            long operand,
            long expected,
            long userContext,
            PostFlags flags) {
        checkAtomic(opcode, resultOffset, sizeBytes);
        return queue.atomic(
                opcode.value(),
                target.checkedForAtomic(context, targetOffset, sizeBytes),
                targetOffset,
                result.checked(context, resultOffset, sizeBytes),
                resultOffset,
                sizeBytes,
                operand,
                expected,
                userContext,
                flags.bits());
    }

    /**
     * Sends a message; the target's next receive work request takes it.
     *
     * @param target to whom; ignored, and may be null, in mode RC (S8.8)
     */
    public boolean send(
            @Nullable TargetJetty target, LocalSegment source, long sourceOffset, long lengthBytes, long userContext) {
        return send(Opcode.SEND, target, source, sourceOffset, lengthBytes, 0, userContext, PostFlags.DEFAULT);
    }

    /** Sends a message with a 64-bit immediate, which the receiver's record carries. */
    public boolean sendImmediate(
            @Nullable TargetJetty target,
            LocalSegment source,
            long sourceOffset,
            long lengthBytes,
            long immediate,
            long userContext) {
        return send(
                Opcode.SEND_IMM, target, source, sourceOffset, lengthBytes, immediate, userContext, PostFlags.DEFAULT);
    }

    /**
     * Sends a message of the given kind.
     *
     * @param opcode SEND, SEND_IMM or SEND_INVALIDATE
     * @param immediate for SEND_IMM the immediate; for SEND_INVALIDATE the token id that the receiver is to revoke; for
     *     SEND it means nothing
     */
    public boolean send(
            Opcode opcode,
            @Nullable TargetJetty target,
            LocalSegment source,
            long sourceOffset,
            long lengthBytes,
            long immediate,
            long userContext,
            PostFlags flags) {
        checkSend(opcode, lengthBytes);
        checkImmediate(opcode, immediate);
        checkFlags(flags.bits());
        return queue.send(
                opcode.value(),
                checkedTarget(target),
                source.checked(context, sourceOffset, lengthBytes),
                sourceOffset,
                lengthBytes,
                opcode == Opcode.SEND ? 0 : immediate,
                userContext,
                flags.bits());
    }

    /**
     * Posts the list's work requests in order.
     *
     * @return how many were accepted: the index of the first that was not. It is the list's size when all were, and
     *     less when the queue is full or a request was refused, as {@link WorkRequestList#refusal()} tells (S9.1)
     */
    public int post(WorkRequestList list) {
        life.checkOpen();
        return list.postTo(this, 0, context, config);
    }

    /**
     * Posts the rest of a list, of which an earlier call accepted a part: the requests from {@code fromIndex} on, in order.
     *
     * @param fromIndex what the earlier call returned
     * @return the index of the first that was not accepted, counted from the list's start; otherwise as {@link
     *     #post(WorkRequestList)}
     * @throws UrmaException EINVAL for an index outside 0…size of the list; nothing was posted then
     */
    public int post(WorkRequestList list, int fromIndex) {
        life.checkOpen();
        return list.postTo(this, fromIndex, context, config);
    }

    boolean post(WorkRequest request) {
        return queue.post(request);
    }

    /** Whom a message goes to: null means the bound peer. */
    @Nullable
    ProviderTarget checkedTarget(@Nullable TargetJetty target) {
        if (config.mode() == TransportMode.RC) {
            return null;
        }
        if (target == null) {
            throw Checks.invalid(this, "target is null; only mode RC has an implicit target");
        }
        ProviderTarget to = target.checked(context);
        if (target.takesDatagrams() != datagrams) {
            throw Checks.invalid(
                    this,
                    "a queue of mode " + config.mode() + " cannot send to " + target + " of mode "
                            + target.descriptor().mode());
        }
        return to;
    }

    /** Datagrams are in no order: nothing can be asked to follow (S8.6). */
    void checkFlags(int flags) {
        if (datagrams && (flags & ORDER_BITS) != 0) {
            checkDatagramFlags(flags);
        }
    }

    private void checkDatagramFlags(int flags) {
        if ((flags & (PostFlags.RELAXED_BIT | PostFlags.STRONG_BIT)) != 0) {
            throw Checks.invalid(this, "place_order is set, but mode UM has no order");
        }
        if ((flags & PostFlags.FENCE_BIT) != 0) {
            throw Checks.invalid(this, "fence is set, but mode UM has no order");
        }
        if (config.outOfOrderCompletion()) {
            throw Checks.invalid(this, "comp_order is set, but this queue of mode UM completes out of order");
        }
    }

    /** The other JFC, open, valid and of this context, and kept open as long as this queue. */
    ProviderJfc checkedForRecords(Jfc other) {
        if (other.context() != context) {
            throw Checks.invalid(this, other + " belongs to " + other.context());
        }
        synchronized (recordJfcs) {
            life.checkOpen();
            if (other != jfc) {
                other.checkValid(this);
                if (!recordJfcs.contains(other)) {
                    other.life().retain(this);
                    recordJfcs.add(other);
                }
            }
        }
        return other.provider();
    }

    void checkLength(long lengthBytes) {
        if (lengthBytes > maxReadWriteBytes) {
            throw tooLong(lengthBytes);
        }
    }

    private UrmaException tooLong(long lengthBytes) {
        return config.mode() == TransportMode.UM
                ? Checks.invalid(this, "mode UM supports only messages")
                : Checks.invalid(
                        this, "length " + lengthBytes + " is more than the device's limit of " + maxReadWriteBytes);
    }

    /** The immediate of an opcode that carries one must reach the peer whole (S8.4). */
    void checkImmediate(Opcode opcode, long immediate) {
        boolean carried = opcode == Opcode.SEND_IMM || opcode == Opcode.WRITE_IMM;
        if (carried && immediateBits < Long.SIZE && immediate >>> immediateBits != 0) {
            throw Checks.invalid(
                    this,
                    "immediate 0x" + Long.toHexString(immediate) + " does not fit into the device's " + immediateBits
                            + " bits");
        }
    }

    void checkMessage(long lengthBytes) {
        if (lengthBytes > maxMessageBytes) {
            throw Checks.invalid(
                    this,
                    "length " + lengthBytes + " is more than the device's " + (datagrams ? "MTU" : "limit") + " of "
                            + maxMessageBytes);
        }
    }

    private void checkSend(Opcode opcode, long lengthBytes) {
        if (opcode != Opcode.SEND && opcode != Opcode.SEND_IMM && opcode != Opcode.SEND_INVALIDATE) {
            throw Checks.invalid(this, opcode + " is not a send opcode");
        }
        if (datagrams && opcode == Opcode.SEND_INVALIDATE) {
            throw Checks.invalid(this, opcode + " does not exist in mode UM");
        }
        checkMessage(lengthBytes);
    }

    void checkAtomic(Opcode opcode, long resultOffset, int sizeBytes) {
        if (opcode.kind() != Opcode.Kind.ATOMIC) {
            throw Checks.invalid(this, opcode + " is not an atomic");
        }
        if (sizeBytes != 4 && sizeBytes != 8) {
            throw Checks.invalid(this, "size of an atomic is " + sizeBytes + ", must be 4 or 8 bytes");
        }
        checkLength(sizeBytes);
        if ((resultOffset & (sizeBytes - 1)) != 0) {
            throw Checks.invalid(
                    this, "offset " + resultOffset + " of the result is not a multiple of its size " + sizeBytes);
        }
    }

    /** What its configuration asks for, 0…15 (S1.6). */
    public int priority() {
        return config.priority();
    }

    /**
     * Moves to another state. To the same one: nothing happens.
     *
     * @throws UrmaException EINVAL naming both states when there is no such move (S6.2), or from ERROR to RESET before
     *     the queue has drained, is flushed, and its records are polled (S6.13), or from RESET to READY when its JFC has
     *     overflowed (S10.5)
     */
    public void modify(QueueState next) {
        if (checkMove(next)) {
            provider.modify(next);
        }
    }

    /** Whether there is something to do; refuses what is no move. */
    boolean checkMove(QueueState next) {
        life.checkOpen();
        QueueState now = provider.state();
        boolean byBindOnly = config.mode() == TransportMode.RC && now == QueueState.RESET && next == QueueState.READY;
        if (now != next && (!now.mayBecome(next) || byBindOnly)) {
            throw Checks.invalid(
                    this, "cannot go from " + now + " to " + next + (byBindOnly ? " by modify; use bind" : ""));
        }
        if (now == QueueState.RESET && next == QueueState.READY) {
            checkJfcs();
        }
        return now != next;
    }

    /**
     * Takes out work requests that a queue in ERROR or SUSPENDED never started, as WR_UNHANDLED, once its marker has been
     * seen (S6.7, S6.10).
     *
     * @return how many lie in {@code batch}; 0 when there are no more
     */
    public int flush(CompletionBatch batch) {
        life.checkOpen();
        int count = provider.flush(batch.words(), batch.capacity());
        context.meter().restore(batch.words(), count);
        return batch.filled(count);
    }

    /** As {@link #flush(CompletionBatch)}, all of them, as values. */
    public List<Completion> flushAll() {
        CompletionBatch batch = new CompletionBatch(64);
        List<Completion> all = new ArrayList<>();
        while (flush(batch) > 0) {
            all.addAll(batch.completions());
        }
        return all;
    }

    /**
     * Ends everything: goes to ERROR and returns what has no record yet. No marker follows. Records that lie in the JFC
     * stay there: those work requests were finished before (S6.11). Once they are polled the queue can be reset.
     *
     * @param timeout how long to wait for what runs in another thread
     * @throws UrmaException ETIMEOUT when that took longer: then nothing has changed
     */
    public Quiesced quiesce(Duration timeout) {
        life.checkOpen();
        Checks.positive(this, "timeout", timeout);
        long[] words = provider.quiesce(timeout);
        context.meter().restore(words, words.length / CompletionRecord.WORDS);
        return new Quiesced(CompletionBatch.of(words));
    }

    /**
     * Says that messages to {@code target} will come, so that what they need may be set up early.
     *
     * @throws UrmaException EINVAL in another mode than RM (S5.10)
     */
    public void advise(TargetJetty target) {
        life.checkOpen();
        if (config.mode() != TransportMode.RM || target.descriptor().mode() != TransportMode.RM) {
            throw Checks.invalid(
                    this,
                    "advise exists only in mode RM; these are " + config.mode() + " and "
                            + target.descriptor().mode());
        }
        provider.advise(target.checked(context));
    }

    public Counters counters() {
        return provider.counters();
    }

    Jfc jfc() {
        return jfc;
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    ProviderSendQueue provider() {
        return provider;
    }

    /** Takes its times from now on; with null, not any more. */
    void measure(PerfMeter.@Nullable Run run) {
        queue = run == null ? provider : new MeasuredSendQueue(this, provider, context.meter(), run);
    }

    Lifetime life() {
        return life;
    }

    /** Ends it; unfinished work requests and unpolled records of it disappear (S10.7). Idempotent. */
    @Override
    public void close() {
        if (life.end()) {
            context.children().remove(this);
            provider.close();
            context.meter().forget(this);
            jfc.detach(depth());
            if (jfr != null && receiveJfc != null) {
                receiveJfc.detach(jfr.depth());
            }
            needed(jfc, jfr, receiveJfc).forEach(need -> need.release(this));
            synchronized (recordJfcs) {
                recordJfcs.forEach(other -> other.life().release(this));
                recordJfcs.clear();
            }
        }
    }

    @Override
    public String toString() {
        return (jfr == null ? "JFS " : "Jetty ") + context.uasid() + "/" + provider.id();
    }
}
