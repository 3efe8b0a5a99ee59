package io.urma4j.udma.driver;

import io.urma4j.Counters;
import io.urma4j.ErrorScope;
import io.urma4j.JfsConfig;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.libc.NativeMemory;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.WorkRequest;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.driver.BlockLists.BlockList;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WqRing;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The driver's end of the card's ring of a send queue: writes work queue elements, and publishes them.
 *
 * <p>Each accepted work request has a position. It occupies a slot until its record, or a later one of the same queue, is
 * polled (S9.3), and until the card no longer needs its element.
 *
 * <p><b>Ownership.</b> {@code posted} and the state of a position before it is published belong to the holder of the
 * queue's lock, or to the one thread that posts to a lock-free queue.
 */
final class SendRing {
    private static final int ELEMENT_BITS = PostFlags.SIGNALLED_BIT
            | PostFlags.SOLICITED_BIT
            | PostFlags.FENCE_BIT
            | PostFlags.RELAXED_BIT
            | PostFlags.STRONG_BIT
            | SendWqe.INLINE
            | SendWqe.REMOTE_GONE
            | SendWqe.NOTIFY_GONE;

    private final int depth;
    private final int strideBytes;
    private final NativeMemory memory;
    private final int signalEvery;
    private final boolean isConnected; // elements name no target
    private final BlockLists lists;
    private final SendEntries entries;
    private final SlotCount slots;
    private final EventWaits events;

    private long posted;
    private long postLimit; // posted may grow to here before the slots must be counted again
    private long signalAt; // the position of the next work request that makes a record whatever it asks for (S9.3)
    private long postedBytes;

    /**
     * An empty ring.
     *
     * @param owner for messages
     */
    SendRing(Object owner, JfsConfig config, Adapter adapter) {
        this.depth = Rings.ceilingPowerOfTwo(config.depth());
        this.strideBytes = SendWqe.strideBytes(config.maxSges(), config.maxInlineBytes());
        this.memory = Rings.allocate(owner, WqRing.bytes(depth, strideBytes));
        this.signalEvery = config.signalEvery();
        this.signalAt = signalEvery == 0 ? Long.MAX_VALUE : signalEvery - 1;
        this.isConnected = config.mode() == TransportMode.RC;
        this.lists = new BlockLists(adapter.eventLoop());
        this.events = new EventWaits(adapter);
        this.entries = new SendEntries(depth, config.maxSges(), lists);
        this.slots = new SlotCount(depth, position -> SendWqe.hasEndedSilently(memory, at(position)));
    }

    int depth() {
        return depth;
    }

    /** The card's queue at the other end. */
    SendQueueConfig.Builder card(JfsConfig config, int cq) {
        SendQueueConfig.Kind kind = switch (config.mode()) {
            case RC -> SendQueueConfig.Kind.RC;
            case RM -> SendQueueConfig.Kind.RM;
            case UM -> SendQueueConfig.Kind.UM;
        };
        return SendQueueConfig.builder(kind, memory, depth, strideBytes, cq)
                .timeoutNanos(config.timeout().toNanos())
                .rnrRetry(config.rnrRetry())
                .errorSuspend(config.errorSuspend())
                .errorByTarget(config.errorScope() == ErrorScope.TARGET);
    }

    NativeMemory memory() {
        return memory;
    }

    SendEntries entries() {
        return entries;
    }

    SlotCount slots() {
        return slots;
    }

    /** What its work requests wait for. */
    EventWaits events() {
        return events;
    }

    /** What was posted, and what of it still occupies a slot. */
    Counters.Builder counters() {
        return Counters.builder()
                .add("posted", posted)
                .add("postedBytes", postedBytes)
                .add("unpolled", posted - slots.freed());
    }

    /** How many elements the card still needs. */
    long inFlight() {
        return posted - WqRing.consumed(memory);
    }

    boolean isEmpty() {
        return WqRing.consumed(memory) == WqRing.produced(memory);
    }

    /** The card needs no element before this position. */
    long consumed() {
        return WqRing.consumed(memory);
    }

    /** The state of the queue, as the card has it. */
    QueueState state() {
        return WqRing.state(memory);
    }

    boolean isReset() {
        return state() == QueueState.RESET;
    }

    /** Where the element of a position lies. */
    long at(long position) {
        return WqRing.at(position, depth, strideBytes);
    }

    /** Releases what its elements name; the card's queue is gone. */
    void close() {
        entries.letGo(posted);
        lists.close();
    }

    // ---- posts; by the thread that posts

    boolean hasRoom() {
        return posted < postLimit || hasRoomAfterPolls();
    }

    /** The slots seem to be used up: counts them. */
    private boolean hasRoomAfterPolls() {
        postLimit = Math.min(slots.freed(), WqRing.consumed(memory)) + depth;
        return posted < postLimit;
    }

    /** Posts a read, a write or an atomic. */
    void oneSided(
            int opcode,
            UdmaImport remote,
            long remoteOffset,
            UdmaSegment local,
            long localOffset,
            long lengthBytes,
            long operand,
            long expected,
            long userContext,
            int flags) {
        long at = at(posted);
        entries.begin(posted, userContext);
        entries.hold(posted, remote, null, null);
        entries.hold(posted, local);
        int bits = flags | (remote.isRevoked() ? SendWqe.REMOTE_GONE : 0);
        SendWqe.put(memory, at, opcode, signalled(bits), local.asOneRange(), memoryTarget(remote), (int) lengthBytes);
        SendWqe.remote(memory, at, remote.key(), remote.vaBase() + remoteOffset);
        SendWqe.range(memory, at, 0, local.localKey(), (int) lengthBytes, localOffset);
        if (opcode != WorkOpcode.WRITE && opcode != WorkOpcode.READ) {
            SendWqe.operands(memory, at, operand, expected);
        }
        publish(lengthBytes);
    }

    private int memoryTarget(UdmaImport remote) {
        return isConnected ? 0 : remote.memoryTarget();
    }

    /** Posts a message. */
    void message(
            int opcode,
            UdmaTarget target,
            UdmaSegment source,
            long sourceOffset,
            long lengthBytes,
            long immediate,
            long userContext,
            int flags) {
        long at = at(posted);
        entries.begin(posted, userContext);
        entries.hold(posted, null, null, target);
        entries.hold(posted, source);
        SendWqe.put(memory, at, opcode, signalled(flags), source.asOneRange(), queueTarget(target), (int) lengthBytes);
        SendWqe.range(memory, at, 0, source.localKey(), (int) lengthBytes, sourceOffset);
        special(at, opcode, immediate, target);
        publish(lengthBytes);
    }

    private int queueTarget(UdmaTarget target) {
        return isConnected ? 0 : target.handle();
    }

    /** The special fields of some messages: an immediate; the key behind the token id to revoke. */
    private void special(long at, int opcode, long immediate, UdmaTarget target) {
        if (opcode == WorkOpcode.SEND_INVALIDATE) {
            Path home = target.path();
            int key = home == null ? (int) immediate : home.keyOf((int) immediate);
            SendWqe.remote(memory, at, key, 0);
            SendWqe.operands(memory, at, key, 0);
        } else {
            SendWqe.operands(memory, at, immediate, 0);
        }
    }

    /**
     * Posts any work request.
     *
     * @param target of a message
     * @param cq where its record goes; 0 for the queue's own
     */
    void request(WorkRequest request, @Nullable UdmaTarget target, int cq) {
        int opcode = request.opcode;
        UdmaImport remote = hasRange(opcode) ? (UdmaImport) request.remote : null;
        UdmaImport notify = opcode == WorkOpcode.WRITE_NOTIFY ? (UdmaImport) request.notify : null;
        int bits = request.flags
                | (remote != null && remote.isRevoked() ? SendWqe.REMOTE_GONE : 0)
                | (notify != null && notify.isRevoked() ? SendWqe.NOTIFY_GONE : 0)
                | (request.inline != null ? SendWqe.INLINE : 0);
        long at = at(posted);
        entries.begin(posted, request.userContext);
        entries.hold(posted, remote, notify, target);
        int handle = target != null ? queueTarget(target) : remote != null ? memoryTarget(remote) : 0;
        DeviceEvent after = request.after;
        int opcodeBits = after == null ? opcode : opcode | SendWqe.AFTER_EVENT;
        SendWqe.put(memory, at, opcodeBits, signalled(bits), ranges(request), handle, (int) request.lengthBytes);
        SendWqe.operands(memory, at, request.operand, request.expected);
        SendWqe.hint(memory, at, request.targetHint * 0x9E3779B9 >>> 24); // spread: hints come in sequence
        if (remote != null) {
            SendWqe.remote(memory, at, remote.key(), remote.vaBase() + request.remoteOffset);
        }
        if (notify != null) {
            SendWqe.notify(memory, at, notify.key(), notify.vaBase() + request.notifyOffset, request.operand);
        }
        if (target != null && opcode == WorkOpcode.SEND_INVALIDATE) {
            special(at, opcode, request.operand, target);
        }
        if (cq != 0) {
            SendWqe.cq(memory, at, cq);
        }
        payload(at, request);
        publish(request.lengthBytes);
        if (after != null) {
            events.add(after, posted - 1);
        }
    }

    private static int ranges(WorkRequest request) {
        int ranges = request.sgeCount;
        for (int i = 0; i < request.sgeCount; i++) {
            ranges |= request.sgeSegment[i] instanceof UdmaSegment local && local.isOnDevice() ? SendWqe.ON_DEVICE : 0;
        }
        return ranges;
    }

    /**
     * Posts a transfer.
     *
     * @param target of the message that follows its blocks; null for none
     */
    void transfer(BlockTransfer transfer, @Nullable UdmaTarget target) {
        BlockList list = lists.take(transfer);
        int elements = BlockLists.fill(list, transfer);
        UdmaImport first = (UdmaImport) transfer.remote(0);
        UdmaImport notify = (UdmaImport) transfer.notify;
        int opcode = transfer.opcode;
        if (target != null) {
            opcode = transfer.isRead() ? WorkOpcode.SEND_IMM : WorkOpcode.WRITE_IMM;
        }
        UdmaImport gone = revoked(transfer);
        int bits = PostFlags.SIGNALLED_BIT | (gone != null ? SendWqe.REMOTE_GONE : 0);
        int handle = target != null ? queueTarget(target) : memoryTarget(first);
        long at = at(posted);
        entries.begin(posted, transfer.userContext);
        entries.hold(posted, null, notify, target);
        entries.hold(posted, transfer, list);
        SendWqe.put(memory, at, opcode, signalled(bits), SendWqe.BLOCKS, handle, 0);
        SendWqe.operands(memory, at, transfer.value, transfer.lengthBytes());
        UdmaImport named = gone != null ? gone : first; // a failure here is of that target
        SendWqe.remote(memory, at, named.key(), named.vaBase());
        SendWqe.range(memory, at, 0, list.key(), elements, notify == null ? 0 : 1);
        publish(transfer.lengthBytes());
    }

    /** Which of its imports is revoked, as far as is known here; null if none is. */
    private static @Nullable UdmaImport revoked(BlockTransfer transfer) {
        for (int region = 0; region < transfer.regions(); region++) {
            UdmaImport remote = (UdmaImport) transfer.remote(region);
            if (remote.isRevoked()) {
                return remote;
            }
        }
        UdmaImport notify = (UdmaImport) transfer.notify;
        return notify != null && notify.isRevoked() ? notify : null;
    }

    private static boolean hasRange(int opcode) {
        return opcode < WorkOpcode.SEND;
    }

    private void payload(long at, WorkRequest request) {
        MemorySegment inline = request.inline;
        if (inline != null) {
            MemorySegment.copy(inline, 0, memory.segment(), SendWqe.inlineAt(at), inline.byteSize());
            return;
        }
        entries.hold(posted, request);
        for (int i = 0; i < request.sgeCount; i++) {
            UdmaSegment local = (UdmaSegment) request.sgeSegment[i];
            assert local != null : "checked by the API";
            SendWqe.range(memory, at, i, local.localKey(), (int) request.sgeLength[i], request.sgeOffset[i]);
        }
    }

    /** The flags that an element carries; the others have no meaning here: records are in order anyway. */
    private int signalled(int flags) {
        return (posted >= signalAt ? flags | PostFlags.SIGNALLED_BIT : flags) & ELEMENT_BITS;
    }

    /** Publishes the element to the card. */
    private void publish(long lengthBytes) {
        if (posted >= signalAt) {
            signalAt = posted + signalEvery;
        }
        slots.posted(posted);
        postedBytes += lengthBytes;
        WqRing.produced(memory, ++posted);
    }
}
