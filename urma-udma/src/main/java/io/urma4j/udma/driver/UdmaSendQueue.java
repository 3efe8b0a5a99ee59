package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.Counters;
import io.urma4j.ErrorScope;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfsConfig;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.QueueFailure;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardState;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.command.SendStats;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A send queue: it writes work queue elements to the card's ring, publishes them, and rings the doorbell. The posting
 * thread drives the card itself if the card's lock is free.
 *
 * <p>Each accepted work request has a position. It occupies a slot until its record, or a later one of the same queue, is
 * polled (S9.3), and until the card no longer needs its element.
 *
 * <p><b>Ownership.</b> {@code posted} and the state of a position before it is published belong to the holder of the lock,
 * or to the one thread that posts to a lock-free queue.
 */
final class UdmaSendQueue implements ProviderSendQueue, RecordOwner, Tagged {
    private static final long MAX_IMMEDIATE_32 = 0xFFFF_FFFFL;

    private static final int ELEMENT_BITS = PostFlags.SIGNALLED_BIT
            | PostFlags.SOLICITED_BIT
            | PostFlags.FENCE_BIT
            | PostFlags.RELAXED_BIT
            | PostFlags.STRONG_BIT
            | SendWqe.INLINE
            | SendWqe.REMOTE_GONE
            | SendWqe.NOTIFY_GONE;

    private final Queues queues;
    private final UdmaContext context;
    private final int id;
    private final JfsConfig config;
    private final UdmaJfc jfc;
    private final @Nullable UdmaReceiveQueue receives;
    private final @Nullable Receives receiver;
    private final @Nullable RcBinding binding;
    private final boolean locked;
    private final int depth;
    private final int strideBytes;
    private final MemorySegment ring;
    private final EventLoop eventLoop;
    private final int tag;
    private final int receiveTag;
    private final int handle;
    private final int number;
    private final int recordFlags;
    private final SendEntries entries;
    private final SlotCount slots;
    private final SendDrains drains;
    private final SpinLock lock = new SpinLock();

    private long posted;
    private long postLimit; // posted may grow to here before the slots must be counted again
    private long signalAt; // the position of the next work request that makes a record whatever it asks for (S9.3)
    private long postedBytes;
    private volatile boolean closed;

    UdmaSendQueue(
            Queues queues,
            int id,
            JfsConfig config,
            UdmaJfc jfc,
            @Nullable UdmaReceiveQueue receives,
            @Nullable UdmaJfc receiveJfc) {
        this.queues = queues;
        this.context = queues.context();
        this.id = id;
        this.config = config;
        this.jfc = jfc;
        this.receives = receives;
        this.locked = !config.lockFree();
        this.depth = Rings.ceilingPowerOfTwo(config.depth());
        this.strideBytes = SendWqe.strideBytes(config.maxSges(), config.maxInlineBytes());
        this.ring = Rings.allocate(this, WqRing.bytes(depth, strideBytes));
        this.eventLoop = context.eventLoop();
        this.recordFlags = receives == null ? 0 : CompletionRecord.JETTY;
        this.entries = new SendEntries(depth, config.maxSges());
        this.slots = new SlotCount(depth, this::hasEndedSilently);
        this.signalAt = config.signalEvery() == 0 ? Long.MAX_VALUE : config.signalEvery() - 1;
        this.tag = context.adapter().tag(this);
        queues.owners().put(tag, this);
        this.receiver = receives == null ? null : new Receives(receives, id, CompletionRecord.JETTY);
        this.receiveTag = receiver == null ? 0 : context.adapter().tag(receiver);
        if (receiver != null) {
            queues.owners().put(receiveTag, receiver);
        }
        eventLoop.enter();
        try {
            this.handle = create(eventLoop.card(), receiveJfc);
            this.number = eventLoop.card().sendNumber(handle);
        } finally {
            eventLoop.leave();
        }
        this.drains = new SendDrains(this, eventLoop, handle, depth);
        this.binding = config.mode() == TransportMode.RC
                ? new RcBinding(
                        context, this, handle, number, config.orderType().effective(config.mode()), config.rnrRetry())
                : null;
        if (receives != null) {
            context.announce(number, importable(receives));
        }
    }

    /** With the number that applications see when it is free on the wire, so that peers' records tell it. */
    private int create(CardCommands card, @Nullable UdmaJfc receiveJfc) {
        int made = id < CardCommands.FIRST_NUMBER ? 0 : card.createSendQueue(cardConfig(id, receiveJfc));
        return made != 0 ? made : card.createSendQueue(cardConfig(0, receiveJfc));
    }

    private SendQueueConfig cardConfig(int wantedNumber, @Nullable UdmaJfc receiveJfc) {
        SendQueueConfig.Kind kind = switch (config.mode()) {
            case RC -> SendQueueConfig.Kind.RC;
            case RM -> SendQueueConfig.Kind.RM;
            case UM -> SendQueueConfig.Kind.UM;
        };
        SendQueueConfig.Builder builder = SendQueueConfig.builder(kind, ring, depth, strideBytes, jfc.cq())
                .number(wantedNumber)
                .sourceId(id)
                .tag(tag)
                .timeoutNanos(config.timeout().toNanos())
                .rnrRetry(config.rnrRetry())
                .errorSuspend(config.errorSuspend())
                .errorByTarget(config.errorScope() == ErrorScope.TARGET);
        if (receives != null) {
            builder.receives(receives.handle(), receiveJfc == null ? 0 : receiveJfc.cq(), receiveTag)
                    .queueKey(receives.queueKey());
        }
        return builder.build();
    }

    private Importable importable(UdmaReceiveQueue mine) {
        return new Importable(
                JettyDescriptor.Kind.JETTY,
                config.mode(),
                config.orderType().effective(config.mode()),
                mine.config().policy(),
                mine.config().token(),
                mine.queueKey(),
                binding);
    }

    // ---- posts

    @Override
    public boolean write(
            ProviderImport target,
            long targetOffset,
            ProviderSegment source,
            long sourceOffset,
            long lengthBytes,
            long userContext,
            int flags) {
        return oneSided(
                WorkOpcode.WRITE, target, targetOffset, source, sourceOffset, lengthBytes, 0, 0, userContext, flags);
    }

    @Override
    public boolean read(
            ProviderImport source,
            long sourceOffset,
            ProviderSegment destination,
            long destinationOffset,
            long lengthBytes,
            long userContext,
            int flags) {
        return oneSided(
                WorkOpcode.READ,
                source,
                sourceOffset,
                destination,
                destinationOffset,
                lengthBytes,
                0,
                0,
                userContext,
                flags);
    }

    @Override
    public boolean atomic(
            int opcode,
            ProviderImport target,
            long targetOffset,
            ProviderSegment result,
            long resultOffset,
            int sizeBytes,
            long operand,
            long expected,
            long userContext,
            int flags) {
        return oneSided(
                opcode, target, targetOffset, result, resultOffset, sizeBytes, operand, expected, userContext, flags);
    }

    private boolean oneSided(
            int opcode,
            ProviderImport target,
            long targetOffset,
            ProviderSegment local,
            long localOffset,
            long lengthBytes,
            long operand,
            long expected,
            long userContext,
            int flags) {
        UdmaImport remote = (UdmaImport) target;
        UdmaSegment mine = (UdmaSegment) local;
        enter();
        try {
            if (posted >= postLimit && !hasRoom()) {
                return false;
            }
            long at = at(posted);
            entries.begin(posted, userContext);
            entries.hold(posted, remote, null, null);
            entries.hold(posted, mine);
            int bits = flags | (remote.isRevoked() ? SendWqe.REMOTE_GONE : 0);
            SendWqe.put(ring, at, opcode, signalled(bits), 1, memoryTarget(remote), (int) lengthBytes);
            SendWqe.remote(ring, at, remote.key(), remote.vaBase() + targetOffset);
            SendWqe.range(ring, at, 0, mine.localKey(), (int) lengthBytes, localOffset);
            if (opcode != WorkOpcode.WRITE && opcode != WorkOpcode.READ) {
                SendWqe.operands(ring, at, operand, expected);
            }
            publish(lengthBytes);
        } finally {
            leave();
        }
        rung();
        return true;
    }

    private int memoryTarget(UdmaImport remote) {
        return binding == null ? remote.memoryTarget() : 0;
    }

    @Override
    public boolean send(
            int opcode,
            @Nullable ProviderTarget target,
            ProviderSegment source,
            long sourceOffset,
            long lengthBytes,
            long immediate,
            long userContext,
            int flags) {
        UdmaSegment mine = (UdmaSegment) source;
        enter();
        try {
            if (posted >= postLimit && !hasRoom()) {
                return false;
            }
            UdmaTarget whom = whom(target);
            checkImmediate(opcode, immediate, whom);
            long at = at(posted);
            entries.begin(posted, userContext);
            entries.hold(posted, null, null, whom);
            entries.hold(posted, mine);
            SendWqe.put(ring, at, opcode, signalled(flags), 1, queueTarget(whom), (int) lengthBytes);
            SendWqe.range(ring, at, 0, mine.localKey(), (int) lengthBytes, sourceOffset);
            message(at, opcode, immediate, whom);
            publish(lengthBytes);
        } finally {
            leave();
        }
        rung();
        return true;
    }

    private int queueTarget(UdmaTarget whom) {
        return binding == null ? whom.handle() : 0;
    }

    /** The special fields of some messages: an immediate; the key behind the token id to revoke. */
    private void message(long at, int opcode, long immediate, UdmaTarget whom) {
        if (opcode == WorkOpcode.SEND_INVALIDATE) {
            Path home = whom.path();
            int key = home == null ? (int) immediate : home.keyOf((int) immediate);
            SendWqe.remote(ring, at, key, 0);
            SendWqe.operands(ring, at, key, 0);
        } else {
            SendWqe.operands(ring, at, immediate, 0);
        }
    }

    private UdmaTarget whom(@Nullable ProviderTarget target) {
        UdmaTarget known = binding != null ? binding.target() : (UdmaTarget) target;
        if (known == null) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is not bound, so it has no receiver");
        }
        return known;
    }

    /** A RoCE peer has immediates of 32 bits (S8.4). */
    private void checkImmediate(int opcode, long immediate, UdmaTarget whom) {
        boolean has = opcode == WorkOpcode.SEND_IMM || opcode == WorkOpcode.WRITE_IMM;
        if (has && whom.byHand() != null && (immediate & ~MAX_IMMEDIATE_32) != 0) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    this,
                    "immediate " + immediate + " does not fit into 32 bits, the limit of " + whom);
        }
    }

    @Override
    public boolean post(WorkRequest request) {
        if (request.jfc != null && request.jfc != jfc) {
            countEachSlot();
        }
        enter();
        try {
            if (posted >= postLimit && !hasRoom()) {
                return false;
            }
            fill(request);
        } finally {
            leave();
        }
        rung();
        return true;
    }

    private void countEachSlot() {
        if (!slots.areCountedEach()) {
            jfc.betweenPolls(slots::countEach);
        }
    }

    private void fill(WorkRequest request) {
        int opcode = request.opcode;
        boolean isMessage = WorkOpcode.isMessage(opcode);
        UdmaTarget whom = isMessage ? whom(request.target) : null;
        if (whom != null) {
            checkImmediate(opcode, request.immediate, whom);
        }
        UdmaImport remote = hasRange(opcode) ? (UdmaImport) request.remote : null;
        UdmaImport notify = opcode == WorkOpcode.WRITE_NOTIFY ? (UdmaImport) request.notify : null;
        int bits = request.flags
                | (remote != null && remote.isRevoked() ? SendWqe.REMOTE_GONE : 0)
                | (notify != null && notify.isRevoked() ? SendWqe.NOTIFY_GONE : 0)
                | (request.inline != null ? SendWqe.INLINE : 0);
        long at = at(posted);
        entries.begin(posted, request.userContext);
        entries.hold(posted, remote, notify, whom);
        int target = whom != null ? queueTarget(whom) : remote != null ? memoryTarget(remote) : 0;
        SendWqe.put(ring, at, opcode, signalled(bits), request.sgeCount, target, (int) request.lengthBytes);
        SendWqe.operands(ring, at, isMessage ? request.immediate : request.operand, request.expected);
        SendWqe.hint(ring, at, request.targetHint * 0x9E3779B9 >>> 24); // spread: hints come in sequence
        if (remote != null) {
            SendWqe.remote(ring, at, remote.key(), remote.vaBase() + request.remoteOffset);
        }
        if (notify != null) {
            SendWqe.notify(ring, at, notify.key(), notify.vaBase() + request.notifyOffset, request.operand);
        }
        if (whom != null && opcode == WorkOpcode.SEND_INVALIDATE) {
            message(at, opcode, request.immediate, whom);
        }
        if (request.jfc != null && request.jfc != jfc) {
            SendWqe.cq(ring, at, ((UdmaJfc) request.jfc).cq());
        }
        payload(at, request);
        publish(request.lengthBytes);
    }

    private static boolean hasRange(int opcode) {
        return opcode < WorkOpcode.SEND;
    }

    private void payload(long at, WorkRequest request) {
        MemorySegment inline = request.inline;
        if (inline != null) {
            MemorySegment.copy(inline, 0, ring, SendWqe.inlineAt(at), inline.byteSize());
            return;
        }
        entries.hold(posted, request);
        for (int i = 0; i < request.sgeCount; i++) {
            UdmaSegment local = (UdmaSegment) request.sgeSegment[i];
            assert local != null : "checked by the API";
            SendWqe.range(ring, at, i, local.localKey(), (int) request.sgeLength[i], request.sgeOffset[i]);
        }
    }

    // ---- slots

    private void enter() {
        if (locked) {
            lock.acquire();
        }
        if (closed || state() == QueueState.RESET) {
            leave();
            throw refused();
        }
    }

    private UrmaException refused() {
        return new UrmaException(
                UrmaStatus.EINVAL,
                this,
                closed ? "is closed" : "is in RESET and takes no work requests; bind makes it READY");
    }

    private void leave() {
        if (locked) {
            lock.release();
        }
    }

    /** The slots seem to be used up: counts them. */
    private boolean hasRoom() {
        postLimit = Math.min(slots.freed(), WqRing.consumed(ring)) + depth;
        return posted < postLimit;
    }

    private long at(long position) {
        return WqRing.at(position, depth, strideBytes);
    }

    /** The flags that an element carries; the others have no meaning here: records are in order anyway. */
    private int signalled(int flags) {
        return (posted >= signalAt ? flags | PostFlags.SIGNALLED_BIT : flags) & ELEMENT_BITS;
    }

    /** Publishes the element to the card. */
    private void publish(long lengthBytes) {
        if (posted >= signalAt) {
            signalAt = posted + config.signalEvery();
        }
        slots.posted(posted);
        postedBytes += lengthBytes;
        WqRing.produced(ring, ++posted);
    }

    /** Rings the queue's doorbell; without the lock, since a guess whether it is busy is enough. */
    private void rung() {
        eventLoop.posted(handle, posted - WqRing.consumed(ring) - 1);
    }

    // ---- records

    @Override
    public void record(long[] words, int at, MemorySegment cqRing, long cqe, int word) {
        long position = Cqe.position(cqRing, cqe);
        int status = Cqe.status(word);
        boolean isMarker = status == WorkStatus.WR_FLUSH_ERR_DONE || status == WorkStatus.WR_SUSPEND_DONE;
        words[at] = CompletionRecord.header(status, Cqe.opcode(word), recordFlags | flags(Cqe.flags(word)), id);
        words[at + CompletionRecord.USER_CONTEXT] = isMarker ? 0 : entries.userContext(position);
        words[at + CompletionRecord.LENGTH] = Cqe.lengthBytes(cqRing, cqe);
        words[at + CompletionRecord.IMMEDIATE] = 0;
        words[at + CompletionRecord.REMOTE] = 0;
        words[at + CompletionRecord.REMOTE_EID_HIGH] = 0;
        words[at + CompletionRecord.REMOTE_EID_LOW] = 0;
        ended(position, status);
        if (isMarker) {
            slots.markerTaken(position);
        } else {
            slots.recordTaken(position);
        }
    }

    private static int flags(int flags) {
        return ((flags & Cqe.FLUSH_ERR_DONE) != 0 ? CompletionRecord.FLUSH_ERR_DONE : 0)
                | ((flags & Cqe.SUSPEND_DONE) != 0 ? CompletionRecord.SUSPEND_DONE : 0);
    }

    @Override
    public void ended(MemorySegment cqRing, long cqe, int word) {
        ended(Cqe.position(cqRing, cqe), Cqe.status(word));
    }

    private void ended(long position, int status) {
        if (status == WorkStatus.REM_ACCESS_ABORT_ERR) {
            entries.refused(position);
        }
        entries.letGo(position + 1);
    }

    /** Releases requests that ended without a record. */
    void settle() {
        entries.letGo(WqRing.consumed(ring));
    }

    // ---- taking out

    /** The record of a work request that was removed from the queue. */
    void flushed(long[] words, int at, long position, int status) {
        long element = at(position);
        words[at] = CompletionRecord.header(status, SendWqe.opcode(ring, element), recordFlags, id);
        words[at + CompletionRecord.USER_CONTEXT] = entries.userContext(position);
        words[at + CompletionRecord.LENGTH] =
                status == WorkStatus.SUCCESS ? Integer.toUnsignedLong(SendWqe.lengthBytes(ring, element)) : 0;
        entries.letGo(position + 1);
    }

    /**
     * The last posted requests were removed, and all earlier ones have their result: only slots with unpolled records are
     * occupied. By the holder of the card's lock.
     */
    void freeAll() {
        Set<Long> unpolled = queues.unpolled(tag);
        long end = WqRing.consumed(ring);
        if (unpolled.isEmpty()) {
            freeTo(end);
        } else {
            entries.letGo(end);
            countEachSlot();
            slots.freeAllBut(unpolled, end);
        }
    }

    /** The slots before {@code end} are free. By the holder of the card's lock. */
    void freeTo(long end) {
        entries.letGo(end);
        slots.freeTo(end);
    }

    /**
     * Before a restart: false while a record is unpolled, in any JFC (S6.13); otherwise frees the slots of requests that
     * ended without a record. By the holder of the card's lock.
     */
    boolean endLife() {
        if (isMarkerUnpolled() || !queues.unpolled(tag).isEmpty()) {
            return false;
        }
        freeTo(WqRing.consumed(ring));
        return true;
    }

    private boolean hasEndedSilently(long position) {
        return SendWqe.hasEndedSilently(ring, at(position));
    }

    long freed() {
        return slots.freed();
    }

    /** Whether a marker was written and not polled. By the holder of the card's lock. */
    boolean isMarkerUnpolled() {
        return jfc.holdsMarker(tag);
    }

    @Override
    public int flush(long[] words, int maxRecords) {
        return drains.flush(words, maxRecords);
    }

    @Override
    public long[] quiesce(Duration timeout) {
        checkOpen();
        return drains.quiesce();
    }

    private void checkOpen() {
        if (closed) {
            throw refused();
        }
    }

    // ---- states

    @Override
    public QueueState state() {
        return switch (WqRing.state(ring)) {
            case CardState.RESET -> QueueState.RESET;
            case CardState.READY -> QueueState.READY;
            case CardState.SUSPENDED -> QueueState.SUSPENDED;
            default -> QueueState.ERROR;
        };
    }

    @Override
    public void modify(QueueState next) {
        checkOpen();
        drains.modify(next);
    }

    @Override
    public void failed(int status) {
        CompletionStatus cause = status == WorkStatus.SUCCESS ? null : CompletionStatus.of(status);
        context.raise(QueueFailure.event(receives != null, this, cause));
        queues.memberFailed(this);
    }

    @Override
    public void receiverNotReady(int target) {
        context.receiverNotReady(this, target);
    }

    @Override
    public void requestRefused(Refusal why) {
        context.raise(
                AsyncEvent.Type.PEER_LOST,
                this,
                "its connection accepts no more requests: the peer refused the last one, " + RcBinding.refusal(why));
    }

    // ---- RC

    @Override
    public CompletableFuture<Void> bind(ProviderTarget target, Duration timeout) {
        RcBinding mine = binding;
        if (mine == null) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is no RC Jetty");
        }
        if (WqRing.consumed(ring) != WqRing.produced(ring)) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, this, "has work requests of its last connection; flush them first");
        }
        if (!drains.endLife()) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, this, "has unpolled records of its last connection; poll them first");
        }
        return mine.bind((UdmaTarget) target, timeout);
    }

    @Override
    public boolean isDraining() {
        return drains.stats().draining();
    }

    @Override
    public CompletableFuture<Void> unbind(Duration timeout) {
        RcBinding mine = binding;
        if (mine == null) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is no RC Jetty");
        }
        drains.disconnect();
        return mine.unbound(timeout);
    }

    @Override
    public boolean isBound() {
        return binding != null && binding.target() != null;
    }

    // ---- the rest

    @Override
    public int id() {
        return id;
    }

    @Override
    public int depth() {
        return depth;
    }

    int handle() {
        return handle;
    }

    /** The bond of an RC Jetty; null for other queues. */
    @Nullable
    RcBinding binding() {
        return binding;
    }

    @Override
    public JettyDescriptor descriptor() {
        TokenPolicy policy =
                receives == null ? TokenPolicy.NONE : receives.config().policy();
        int firstPsn = binding == null ? -1 : binding.firstPsn();
        return context.describe(
                id, JettyDescriptor.Kind.JETTY, config.mode(), config.orderType(), policy, number, firstPsn);
    }

    /** What its unfinished requests wait for; empty once it is closed. */
    List<SendWait> waits() {
        eventLoop.enter();
        try {
            return closed ? List.of() : eventLoop.card().sendWaits(handle);
        } finally {
            eventLoop.leave();
        }
    }

    @Override
    public Counters counters() {
        SendStats stats = drains.stats();
        return Counters.builder()
                .add("posted", posted)
                .add("postedBytes", postedBytes)
                .add("unpolled", posted - slots.freed())
                .add("notReady", stats.notReady())
                .add("failed", stats.failed())
                .add("dropped", 0) // what the network loses is not known here
                .build();
    }

    @Override
    public void close() {
        lock.acquire();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            lock.release();
        }
        context.withdraw(number);
        eventLoop.enter();
        try {
            eventLoop.card().destroySendQueue(handle);
        } finally {
            eventLoop.leave();
        }
        queues.owners().remove(tag);
        context.adapter().untag(tag);
        if (receiver != null) {
            queues.owners().remove(receiveTag);
            context.adapter().untag(receiveTag);
        }
        queues.forgetClosed();
        entries.letGo(posted);
        queues.forget(this);
    }

    @Override
    public String toString() {
        return (receives == null ? "JFS " : "Jetty ") + context.uasid() + "/" + id;
    }
}
