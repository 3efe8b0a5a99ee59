package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.PostChecks;
import io.urma4j.internal.inspect.MeasuredSendQueue;
import io.urma4j.internal.inspect.PerfMeter;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.PostingQueue;
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
 * A send queue: work requests are posted to it, alone or as half of a {@link Jetty}.
 *
 * <p>Every post checks its arguments, then calls the provider's queue directly. It returns true if the work request was
 * accepted and false if the queue is full (S9.2). It throws if the request is malformed, lies outside a segment, or is not
 * allowed; the queue then stays usable, and no byte has moved (S7.8). Buffers belong to the library from an accepted post
 * to the record of its completion.
 *
 * <p>The remote range always comes first, then the local one. {@code userContext} is returned in the record.
 *
 * <p>Safe for any number of threads, unless it was created lock-free: then one thread at a time posts.
 *
 * <p>The class is long, since it is one idea in many forms: each kind of work request has a direct post that allocates nothing.
 */
public final class Jfs implements ContextObject {
    private final UrmaContext context;
    private final Jfc jfc;
    private final @Nullable Jfr jfr;
    private final @Nullable Jfc receiveJfc; // when it is not the JFR's
    private final JfsConfig config;
    private final ProviderSendQueue provider;
    private PostingQueue queue; // the provider's, or while it is measured one before it; plain, since both do
    private final PostChecks checks;
    private final Set<Jfc> recordJfcs = new HashSet<>(); // that work requests have named; guarded by itself
    private final Lifetime life = new Lifetime(this);
    private Runnable onReset = () -> {}; // of a Jetty, set when that is made

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
        this.checks = new PostChecks(this, config, context.attributes());
    }

    /** Half of a Jetty if a JFR is given. */
    static Jfs create(
            UrmaContext context,
            ProviderContext from,
            Jfc jfc,
            JfsConfig config,
            @Nullable Jfr jfr,
            @Nullable Jfc receiveJfc) {
        Jfs made = Lifetime.retaining(needed(jfc, jfr, receiveJfc), "a send queue that is being made", () -> {
            ProviderSendQueue queue = from.createSendQueue(
                    config,
                    jfc.provider(),
                    jfr == null ? null : jfr.provider(),
                    receiveJfc == null ? null : receiveJfc.provider());
            Jfs jfs = new Jfs(context, jfc, jfr, receiveJfc, config, queue);
            jfs.checkBorn();
            return jfs;
        });
        jfc.attach(made, made.depth());
        if (jfr != null && receiveJfc != null) {
            receiveJfc.attach(made, jfr.depth());
        }
        return made;
    }

    /** Every attached queue learns of an overflow; so the check comes after attaching. */
    private void checkBorn() {
        try {
            checkJfcs();
        } catch (UrmaException e) {
            provider.close();
            throw e;
        }
    }

    /** Checks that no JFC of the queue has overflowed. */
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

    /** Maximum work requests between polls, after rounding. */
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
        checks.length(lengthBytes);
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
        checks.length(lengthBytes);
        return queue.read(
                source.checkedForRead(context, sourceOffset, lengthBytes),
                sourceOffset,
                destination.checkedAsDestination(context, destinationOffset, lengthBytes),
                destinationOffset,
                lengthBytes,
                userContext,
                flags.bits());
    }

    /** Stores {@code desired} if the 8 bytes hold {@code expected}; writes the old value locally in either case. */
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

    /** Adds to 8 bytes; writes the old value locally. */
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
     * Executes one of the seven atomics, on 4 or 8 naturally aligned bytes in native byte order. The old value is written
     * at {@code resultOffset}, also naturally aligned.
     *
     * @param operand the value to swap in, add, subtract or combine; its low half for 4 bytes
     * @param expected the comparand of CAS; ignored by the others
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
        checks.atomic(opcode, resultOffset, sizeBytes);
        return queue.atomic(
                opcode.value(),
                target.checkedForAtomic(context, targetOffset, sizeBytes),
                targetOffset,
                result.checkedAsDestination(context, resultOffset, sizeBytes),
                resultOffset,
                sizeBytes,
                operand,
                expected,
                userContext,
                flags.bits());
    }

    /**
     * Sends a message; it consumes the target's next receive work request.
     *
     * @param target the receiver; ignored, and may be null, in mode RC (S8.8)
     */
    public boolean send(
            @Nullable TargetJetty target, LocalSegment source, long sourceOffset, long lengthBytes, long userContext) {
        return send(Opcode.SEND, target, source, sourceOffset, lengthBytes, 0, userContext, PostFlags.DEFAULT);
    }

    /** Sends a message with a 64-bit immediate, which the receiver's record holds. */
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
     * @param immediate for SEND_IMM the immediate; for SEND_INVALIDATE the token id that the receiver must revoke; ignored
     *     for SEND
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
        checks.send(opcode, lengthBytes, immediate);
        checks.flags(flags.bits());
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
     * @return how many were accepted, which is the index of the first that was not. It is the list's size if all were
     *     accepted, and less if the queue is full or a request was refused, see {@link WorkRequestList#refusal()} (S9.1)
     */
    public int post(WorkRequestList list) {
        return post(list, 0);
    }

    /**
     * Posts the rest of a list that an earlier call accepted in part: the requests from {@code fromIndex} on, in order.
     *
     * @param fromIndex the result of the earlier call
     * @return the index of the first request that was not accepted, from the list's start; otherwise as {@link
     *     #post(WorkRequestList)}
     * @throws UrmaException EINVAL for an index outside 0…size of the list; nothing was posted then
     */
    public int post(WorkRequestList list, int fromIndex) {
        life.checkOpen();
        return list.postTo(this, fromIndex, context, config);
    }

    PostChecks checks() {
        return checks;
    }

    boolean post(WorkRequest request) {
        return queue.post(request);
    }

    /** The target of a message; null means the bound peer. */
    @Nullable
    ProviderTarget checkedTarget(@Nullable TargetJetty target) {
        if (config.mode() == TransportMode.RC) {
            return null;
        }
        if (target == null) {
            throw Checks.invalid(this, "target is null; only mode RC has an implicit target");
        }
        ProviderTarget to = target.checked(context);
        if (target.takesDatagrams() != (config.mode() == TransportMode.UM)) {
            throw Checks.invalid(
                    this,
                    "a queue of mode " + config.mode() + " cannot send to " + target + " of mode "
                            + target.descriptor().mode());
        }
        return to;
    }

    /** Checks that the other JFC is open, valid and of this context, and keeps it open as long as this queue. */
    ProviderJfc checkedForRecords(Jfc other) {
        Checks.belongs(this, other, context);
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

    /** The priority of the configuration, 0…15 (S1.6). */
    public int priority() {
        return config.priority();
    }

    /**
     * Moves to another state. A move to the current state has no effect.
     *
     * @throws UrmaException EINVAL, naming both states, if the move is illegal (S6.2); from ERROR to RESET before the queue
     *     has drained, is flushed, and its records are polled (S6.13); from RESET to READY if its JFC has overflowed
     *     (S10.5)
     */
    public void modify(QueueState next) {
        if (checkMove(next)) {
            provider.modify(next); // which refuses RESET to what is not drained and flushed
            if (next == QueueState.RESET) {
                onReset.run();
            }
        }
    }

    void onReset(Runnable unbind) {
        onReset = unbind;
    }

    /** Whether the move changes the state; refuses an illegal move. */
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
     * Returns work requests that a queue in ERROR or SUSPENDED never started, as WR_UNHANDLED, once its marker was polled
     * (S6.7, S6.10).
     *
     * @return how many {@code batch} holds; 0 if there are no more
     */
    public int flush(CompletionBatch batch) {
        life.checkOpen();
        int count = provider.flush(batch.words(), batch.capacity());
        context.meter().restore(batch.words(), count);
        return batch.filled(count);
    }

    /** Like {@link #flush(CompletionBatch)}, but returns all of them, as values. */
    public List<Completion> flushAll() {
        CompletionBatch batch = new CompletionBatch(64);
        List<Completion> all = new ArrayList<>();
        while (flush(batch) > 0) {
            all.addAll(batch.completions());
        }
        return all;
    }

    /**
     * Ends all work requests: the queue goes to ERROR, and the call returns those without a record. No marker follows.
     * Records in the JFC stay there: those work requests had finished before (S6.11). Once they are polled, the queue can
     * be reset.
     *
     * @param timeout how long to wait for requests that run in another thread
     * @throws UrmaException ETIMEOUT if they took longer; then the queue may be in ERROR, and the next call returns what this one
     *     did not
     */
    public Quiesced quiesce(Duration timeout) {
        life.checkOpen();
        Checks.positive(this, "timeout", timeout);
        long[] words = provider.quiesce(timeout);
        context.meter().restore(words, words.length / CompletionRecord.WORDS);
        return new Quiesced(CompletionBatch.of(words));
    }

    /**
     * Announces messages to {@code target}, so that the transport may prepare early.
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

    /**
     * A snapshot of the queue's counters.
     *
     * @throws UrmaException EINVAL when closed
     */
    public Counters counters() {
        life.checkOpen();
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

    /** Measures its posts from now on; null stops measuring. */
    void measure(PerfMeter.@Nullable Run run) {
        queue = run == null ? provider : new MeasuredSendQueue(this, provider, context.meter(), run);
    }

    Lifetime life() {
        return life;
    }

    /** Closes the queue; its unfinished work requests and unpolled records are discarded (S10.7). Idempotent. */
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
