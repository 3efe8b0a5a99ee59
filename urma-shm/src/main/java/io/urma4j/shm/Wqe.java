package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.shm.control.SegmentUser;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.SendEntry;
import io.urma4j.spi.support.WorkKind;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A work request that could not be finished within its post: an entry of a send queue's window, used again and again.
 * Guarded by the queue's lock.
 *
 * <p>It has more fields than other classes since it is what its name says, the element of a work queue: each field is one
 * that the application posted, or how far its message is. An entry is filled in place, field by field, so that a post
 * allocates nothing; records within it would be allocated, and objects within it be one more load on that path.
 */
final class Wqe extends SendEntry<Lane, PeerLanes> {
    /** Bytes of a message that are staged at once: whole chunks, so that none lies in two stages. */
    private static final int STAGED_BYTES = 2 * RingLayout.CHUNK_BYTES;

    private static final int SUCCESS = CompletionStatus.SUCCESS.value();

    final SgeList sges;

    Opcode opcode = Opcode.NOP;
    int flags;
    long userContext;
    long lengthBytes;
    long immediate;
    long operand;
    long expected;

    @Nullable
    ShmImport remote;

    long remoteOffset;

    @Nullable
    ShmImport notify;

    long notifyOffset;

    /** The receiver that a message names; null for every other work request. */
    @Nullable
    TargetUse to;

    /** The blocks that it moves; then {@link #remote} is the import of the latest one. Null for every other work request. */
    @Nullable
    BlockTransfer blocks;

    /** It does not start before; null for most. */
    @Nullable
    DeviceEvent after;

    /** Where its record goes; null for the queue's own JFC. */
    @Nullable
    JfcRecords recordJfc;

    /** Which member of a group is meant: 8 bits of the hint's hash. */
    int targetHint;

    /** Copy of an inline payload; grows to the largest that this entry ever held. */
    private MemorySegment inlineRoom = MemorySegment.NULL;

    private boolean isInline;

    /** Bytes of a message from device memory, copied here before they go to the ring; empty for every other work request. */
    private MemorySegment staged = MemorySegment.NULL;

    private long stagedFrom;

    /** Bytes of the message that lie in the ring or went through it. */
    long sentBytes;

    /** It went to the peer as the restart of its flow, which no honest peer holds back. */
    boolean restarts;

    /** Slots in the ring whose answers are not there yet. */
    int slotsInFlight;

    /** The worst answer so far. */
    int answer;

    int answerArgument;

    /** A free entry of a queue whose records go to {@code jfc}. */
    Wqe(SegmentUser jfc) {
        this.sges = new SgeList(jfc);
    }

    void fill(WorkRequest request) {
        begin(Opcode.of(request.opcode), request.flags, request.userContext, request.lengthBytes);
        if (request.inline != null) { // first: if its memory is closed, the entry names nothing
            copyInline(request.inline);
        } else {
            sges.fill(request);
        }
        immediate = request.operand;
        after = request.after;
        followsEvent = after != null;
        targetHint = request.targetHint * 0x9E3779B9 >>> 24; // spread: hints come in sequence
        operand = request.operand;
        expected = request.expected;
        if (opcode.kind() != Opcode.Kind.MESSAGE || opcode == Opcode.WRITE_IMM) {
            remote = (ShmImport) request.remote;
            remoteOffset = request.remoteOffset;
        }
        if (opcode == Opcode.WRITE_NOTIFY) {
            notify = (ShmImport) request.notify;
            notifyOffset = request.notifyOffset;
        }
    }

    void fill(BlockTransfer transfer) {
        begin(Opcode.of(transfer.opcode), PostFlags.SIGNALLED_BIT, transfer.userContext, transfer.lengthBytes());
        blocks = transfer;
        remote = (ShmImport) transfer.remote(0);
        notify = (ShmImport) transfer.notify;
        notifyOffset = transfer.notifyOffset;
        operand = transfer.value;
        immediate = transfer.value;
        sges.fill((ShmSegment) transfer.local, 0, 0);
        if (transfer.isMessageLast) {
            kind = WorkKind.MESSAGE;
            placesBytes = true;
        }
    }

    void fill(Opcode opcode, ShmSegment local, long localOffset, long lengthBytes, long userContext, int flags) {
        begin(opcode, flags, userContext, lengthBytes);
        sges.fill(local, localOffset, lengthBytes);
    }

    /** Names the remote range of a one-sided operation; operands are those of an atomic. */
    void reach(ShmImport range, long rangeOffset, long first, long second) {
        remote = range;
        remoteOffset = rangeOffset;
        operand = first;
        expected = second;
    }

    /** An operation that has been executed, and names nothing any more. */
    void fillExecuted(Opcode opcode, long lengthBytes, long userContext) {
        begin(opcode, PostFlags.SIGNALLED_BIT, userContext, lengthBytes);
    }

    /** A message that lies in one slot of the ring already. The places that {@link #release} has emptied stay so. */
    void fillSent(
            Opcode opcode,
            TargetUse use,
            ShmSegment local,
            long localOffset,
            int lengthBytes,
            long userContext,
            int flags) {
        this.opcode = opcode;
        this.flags = flags;
        this.userContext = userContext;
        this.lengthBytes = lengthBytes;
        stage = Stage.STARTED;
        status = SUCCESS;
        kind = WorkKind.MESSAGE;
        immediate = 0;
        targetHint = 0;
        recordJfc = null;
        placesBytes = false;
        hasPlaced = false;
        answer = 0;
        sentBytes = lengthBytes;
        restarts = false;
        slotsInFlight = 1;
        to = use;
        flow = use.lane;
        peer = use.lane.peer;
        sges.fill(local, localOffset, lengthBytes);
        resetFlow();
        enterFlow(0);
        sges.pin();
        use.unfinished++;
        use.lane.peer.unfinished++;
    }

    private void begin(Opcode opcode, int flags, long userContext, long lengthBytes) {
        this.opcode = opcode;
        this.flags = flags;
        this.userContext = userContext;
        this.lengthBytes = lengthBytes;
        stage = Stage.WAITING;
        status = SUCCESS;
        kind = WorkKind.of(opcode.value());
        remote = null;
        notify = null;
        blocks = null;
        to = null;
        flow = null;
        peer = null;
        isInline = false;
        sges.clear();
        targetHint = 0;
        recordJfc = null;
        after = null;
        followsEvent = false;
        rewind();
        placesBytes = opcode == Opcode.WRITE_IMM;
        hasPlaced = false;
        resetFlow();
        sinceNanos = 0;
    }

    /** A success that was posted unsignalled makes no record. */
    @Override
    protected boolean isSilent() {
        return status == SUCCESS && (flags & PostFlags.SIGNALLED_BIT) == 0;
    }

    @Override
    protected boolean isInFlight() {
        return slotsInFlight > 0 || stage == Stage.COPYING;
    }

    @Override
    protected boolean awaitsEvent() {
        return after != null && !after.isDone();
    }

    @Override
    protected boolean isAfterFailure() {
        return after != null && after.failure() != null;
    }

    /** Answers to what has ended are ignored, and its payload lies in the ring. */
    @Override
    protected boolean mayEndEarly() {
        return true;
    }

    /** Its payload is at its place; the message itself is still to follow. */
    void placed() {
        placesBytes = false;
        hasPlaced = true;
    }

    /** Forgets what was sent of it: it is to be sent from its start. */
    void rewind() {
        sentBytes = 0;
        restarts = false;
        slotsInFlight = 0;
        answer = 0;
        answerArgument = 0;
    }

    /** Memory that begins with its payload if that was copied at the post; null if it lies in the local ranges. */
    @Nullable
    MemorySegment inlinePayload() {
        return isInline ? inlineRoom : null;
    }

    /** Whether the peer has got its first chunks, and would wait for the others. */
    @Override
    protected boolean isHalfSent() {
        return (stage == Stage.WAITING || stage == Stage.COPYING) && sentBytes > 0;
    }

    @Override
    protected boolean hasBegun(boolean isYoungerInFlight) {
        return hasPlaced || sentBytes > 0 || slotsInFlight > 0 || stage == Stage.STARTED;
    }

    private void copyInline(MemorySegment payload) {
        int length = (int) payload.byteSize();
        if (inlineRoom.byteSize() < length) {
            inlineRoom = MemorySegment.ofArray(new byte[length]);
        }
        MemorySegment.copy(payload, 0, inlineRoom, 0, length);
        isInline = true;
    }

    /** Whether it keeps a thread busy: one of its ranges lies in device memory, or it moves many blocks. */
    boolean mayTakeLong() {
        return sges.isOnDevice() || isRemoteServed() || (blocks != null && lengthBytes > SendSlots.LONG_COPY_BYTES);
    }

    /** Whether remote bytes lie in device memory, which the home serves. */
    boolean isRemoteServed() {
        BlockTransfer transfer = blocks;
        if (transfer == null) {
            return remote != null && remote.isServed();
        }
        for (int region = 0; region < transfer.regions(); region++) {
            if (((ShmImport) transfer.remote(region)).isServed()) {
                return true;
            }
        }
        return false;
    }

    /** The message that follows the blocks of a transfer, or the work request itself. */
    Opcode messageOpcode() {
        BlockTransfer transfer = blocks;
        if (transfer == null) {
            return opcode;
        }
        return transfer.isRead() ? Opcode.SEND_IMM : Opcode.WRITE_IMM;
    }

    /** How many bytes the message itself carries. */
    long messageBytes() {
        return opcode == Opcode.WRITE_IMM || blocks != null ? 0 : lengthBytes;
    }

    /**
     * Whether a thread without the lock must work for it next: its bytes lie in device memory, and are not placed or staged yet, or
     * they are many blocks.
     */
    boolean needsCopyEngine() {
        if (lengthBytes == 0 || !mayTakeLong()) {
            return false;
        }
        if (kind != WorkKind.MESSAGE || placesBytes) {
            return true;
        }
        return sges.isOnDevice()
                && blocks == null
                && opcode != Opcode.WRITE_IMM
                && (sentBytes < stagedFrom || sentBytes >= stagedFrom + staged.byteSize());
    }

    /** Copies the next bytes of a message from device memory. Blocks, without the lock. */
    void stageNext() {
        int length = (int) Math.min(STAGED_BYTES, lengthBytes - sentBytes);
        MemorySegment room = MemorySegment.ofArray(new byte[length]);
        sges.gather(sentBytes, room, 0, length);
        staged = room;
        stagedFrom = sentBytes;
    }

    /** Copies {@code lengthBytes} of the payload, from its byte {@code from} on. */
    void gather(long from, MemorySegment to, long toOffset, long lengthBytes) {
        if (isInline) {
            MemorySegment.copy(inlineRoom, from, to, toOffset, lengthBytes);
            return;
        }
        if (sges.isOnDevice()) {
            MemorySegment.copy(staged, from - stagedFrom, to, toOffset, lengthBytes);
            return;
        }
        sges.gather(from, to, toOffset, lengthBytes);
    }

    /** While it is unfinished, what it names cannot be closed. */
    void pin() {
        sges.pin();
        if (blocks != null) {
            pin(blocks);
        } else if (remote != null) {
            remote.pin();
        }
        if (notify != null) {
            notify.pin();
        }
        if (to != null) {
            to.unfinished++;
        }
        if (peer != null) {
            peer.unfinished++;
        }
    }

    private static void pin(BlockTransfer transfer) {
        for (int region = 0; region < transfer.regions(); region++) {
            ((ShmImport) transfer.remote(region)).pin();
        }
    }

    private static void unpin(BlockTransfer transfer) {
        for (int region = 0; region < transfer.regions(); region++) {
            ((ShmImport) transfer.remote(region)).unpin();
        }
    }

    @Override
    protected void release() {
        sges.release();
        BlockTransfer transfer = blocks;
        if (transfer != null) {
            unpin(transfer);
        } else if (remote != null) {
            remote.unpin();
        }
        remote = null;
        if (notify != null) {
            notify.unpin();
            notify = null;
        }
        if (to != null) {
            to.unfinished--;
            to = null;
        }
        if (peer != null) {
            peer.unfinished--;
            peer = null;
        }
        flow = null;
        after = null;
        followsEvent = false;
        isInline = false;
        staged = MemorySegment.NULL;
        stagedFrom = 0;
        if (transfer != null) {
            blocks = null;
            transfer.end(); // the last: it may be posted again at once
        }
    }
}
