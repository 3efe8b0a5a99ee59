package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.Counters;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfsConfig;
import io.urma4j.OrderType;
import io.urma4j.PeerId;
import io.urma4j.QueueState;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.QueueFailure;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.command.SendStats;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.driver.UdmaReceiveQueue.Receives;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A send queue: it writes work queue elements to the card's {@link SendRing}, and rings the doorbell. The posting thread
 * drives the card itself if the card's lock is free. {@link SendRecords} translates the results, {@link SendDrains} changes
 * states.
 */
final class UdmaSendQueue implements ProviderSendQueue, Tagged, Exports.BoundQueue {
    private final Queues queues;
    private final LocalContext local;
    private final int id;
    private final JfsConfig config;
    private final UdmaJfc jfc;
    private final @Nullable UdmaReceiveQueue receives;
    private final @Nullable RcBinding binding;
    private final boolean locked;
    private final EventLoop eventLoop;
    private final int tag;
    private final int receiveTag; // 0 if it is no Jetty
    private final int handle;
    private final int number;
    private final SendRing ring;
    private final SendRecords records;
    private final SendDrains drains;
    private final SpinLock lock = new SpinLock();
    private volatile boolean closed;

    UdmaSendQueue(
            Queues queues,
            int id,
            JfsConfig config,
            UdmaJfc jfc,
            @Nullable UdmaReceiveQueue receives,
            @Nullable UdmaJfc receiveJfc) {
        this.queues = queues;
        this.local = queues.local();
        this.id = id;
        this.config = config;
        this.jfc = jfc;
        this.receives = receives;
        this.locked = !config.lockFree();
        this.eventLoop = local.eventLoop();
        this.ring = new SendRing(this, config, local.adapter());
        this.tag = local.adapter().tag(this);
        this.records = new SendRecords(queues, jfc, tag, id, receives == null ? 0 : CompletionRecord.JETTY, ring);
        queues.owners().put(tag, records);
        this.receiveTag = receives == null ? 0 : queues.attach(new Receives(receives, id, CompletionRecord.JETTY));
        this.handle = eventLoop.call(
                card -> Queues.create(id, wanted -> card.createSendQueue(cardConfig(wanted, receiveJfc))));
        ring.events().open(handle);
        this.number = eventLoop.call(card -> card.sendNumber(handle));
        this.drains = new SendDrains(this, local.adapter(), handle, ring, records, lock);
        OrderType orderType = config.orderType().effective(config.mode());
        this.binding = config.mode() == TransportMode.RC
                ? new RcBinding(local.adapter(), queues.peers(), this, handle, number, orderType, config.rnrRetry())
                : null;
        if (receives != null) {
            queues.announce(number, receives.importable(JettyDescriptor.Kind.JETTY, config.mode(), orderType, binding));
        }
    }

    private SendQueueConfig cardConfig(int wantedNumber, @Nullable UdmaJfc receiveJfc) {
        SendQueueConfig.Builder builder =
                ring.card(config, jfc.cq()).number(wantedNumber).sourceId(id).tag(tag);
        if (receives != null) {
            builder.receives(receives.handle(), receiveJfc == null ? 0 : receiveJfc.cq(), receiveTag)
                    .queueKey(receives.queueKey());
        }
        return builder.build();
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
        enter();
        try {
            if (!ring.hasRoom()) {
                return false;
            }
            ring.oneSided(
                    opcode,
                    (UdmaImport) target,
                    targetOffset,
                    (UdmaSegment) local,
                    localOffset,
                    lengthBytes,
                    operand,
                    expected,
                    userContext,
                    flags);
        } finally {
            leave();
        }
        rung();
        return true;
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
        enter();
        try {
            if (!ring.hasRoom()) {
                return false;
            }
            UdmaTarget to = checked(opcode, target, immediate);
            ring.message(opcode, to, (UdmaSegment) source, sourceOffset, lengthBytes, immediate, userContext, flags);
        } finally {
            leave();
        }
        rung();
        return true;
    }

    private UdmaTarget checked(int opcode, @Nullable ProviderTarget target, long immediate) {
        UdmaTarget known = binding != null ? binding.target() : (UdmaTarget) target;
        if (known == null) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is not bound, so it has no receiver");
        }
        if (opcode == WorkOpcode.SEND_IMM || opcode == WorkOpcode.WRITE_IMM) {
            known.checkImmediate(this, immediate);
        }
        return known;
    }

    @Override
    public boolean post(WorkRequest request) {
        UdmaJfc other = request.jfc == jfc ? null : (UdmaJfc) request.jfc;
        if (other != null) {
            records.scatter();
        }
        enter();
        try {
            if (!ring.hasRoom()) {
                return false;
            }
            boolean isMessage = WorkOpcode.isMessage(request.opcode);
            UdmaTarget to = isMessage ? checked(request.opcode, request.target, request.operand) : null;
            ring.request(request, to, other == null ? 0 : other.cq());
        } finally {
            leave();
        }
        rung();
        return true;
    }

    @Override
    public boolean post(BlockTransfer transfer) {
        enter();
        try {
            if (!ring.hasRoom()) {
                return false;
            }
            boolean isMessage = transfer.isMessageLast;
            ring.transfer(transfer, isMessage ? checked(WorkOpcode.SEND_IMM, transfer.target, transfer.value) : null);
        } finally {
            leave();
        }
        rung();
        return true;
    }

    private void enter() {
        if (locked) {
            lock.acquire();
        }
        if (closed || ring.isReset()) {
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

    /** Rings the queue's doorbell; without the lock, since a guess whether it is busy is enough. */
    private void rung() {
        eventLoop.posted(handle, ring.inFlight() - 1);
    }

    // ---- states

    @Override
    public QueueState state() {
        return ring.state();
    }

    @Override
    public void modify(QueueState next) {
        drains.modify(next);
    }

    @Override
    public int flush(long[] words, int maxRecords) {
        return drains.flush(words, maxRecords);
    }

    @Override
    public long[] quiesce(Duration timeout) {
        return drains.quiesce(timeout);
    }

    @Override
    public void failed(int status) {
        CompletionStatus cause = status == WorkStatus.SUCCESS ? null : CompletionStatus.of(status);
        local.raise(QueueFailure.event(receives != null, this, cause));
        queues.memberFailed(this);
    }

    @Override
    public void receiverNotReady(int target) {
        local.receiverNotReady(this, target);
    }

    @Override
    public void requestRefused(Refusal why) {
        local.raise(AsyncEvent.Type.PEER_LOST, this, RcBinding.refusal(why));
    }

    // ---- RC

    @Override
    public CompletableFuture<Void> bind(ProviderTarget target, Duration timeout) {
        RcBinding mine = rcBinding();
        drains.checkOver();
        return mine.bind((UdmaTarget) target, timeout);
    }

    private RcBinding rcBinding() {
        if (binding == null) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "is no RC Jetty");
        }
        return binding;
    }

    @Override
    public @Nullable PeerId foreignPeer() {
        return binding == null ? null : binding.foreign();
    }

    @Override
    public boolean isDraining() {
        return drains.stats().draining();
    }

    @Override
    public CompletableFuture<Void> unbind(Duration timeout) {
        return rcBinding().unbind(drains::disconnect, timeout);
    }

    // ---- the rest

    @Override
    public int id() {
        return id;
    }

    @Override
    public int depth() {
        return ring.depth();
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
        return local.describe(
                id, JettyDescriptor.Kind.JETTY, config.mode(), config.orderType(), policy, number, firstPsn);
    }

    /** What its unfinished requests wait for; empty once it is closed. */
    List<SendWait> waits() {
        return eventLoop.call(card -> closed ? List.of() : card.sendWaits(handle));
    }

    /** What the connection of an RC Jetty has counted; null without one, or once it is closed. Under the card's lock. */
    @Nullable
    ConnectionStats ownConnection(CardCommands card) {
        return closed ? null : card.ownConnectionStats(handle);
    }

    /** Releases what requests hold that ended without a record. */
    void settle() {
        records.settle();
    }

    @Override
    public Counters counters() {
        SendStats stats = drains.stats();
        return ring.counters()
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
        queues.withdraw(number);
        ring.events().close();
        drains.destroy();
        queues.detach(tag);
        if (receiveTag != 0) {
            queues.detach(receiveTag);
        }
        queues.forgetClosed();
        ring.close();
        queues.forget(this);
    }

    @Override
    public String toString() {
        return (receives == null ? "JFS " : "Jetty ") + local.uasid() + "/" + id;
    }
}
