package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A work request that could not be finished within its post: an entry of a send queue's window, used again and again.
 * Guarded by the queue's lock.
 */
final class Wqe {
    /** How far it is. */
    enum Stage {
        /** Not begun, or to be begun anew: waits for its turn. */
        WAITING,
        /** All of it was handed to the peer; its answers are awaited. */
        SENT,
        /** Has its status; waits until it is the oldest, so that records come in order. */
        DONE,
        /** Its result was told; it still occupies its place while older ones are unfinished. */
        REPORTED
    }

    private final ShmJfc jfc; // of its queue

    Stage stage = Stage.REPORTED;
    CompletionStatus status = CompletionStatus.SUCCESS;
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

    /** Where its record goes; null for the queue's own JFC. */
    @Nullable
    ShmJfc recordJfc;

    /** Which member of a group is meant: 8 bits of the hint's hash. */
    int targetHint;

    int sgeCount;

    @Nullable
    ShmSegment[] sgeSegment = new ShmSegment[1];

    long[] sgeOffset = new long[1];
    long[] sgeLength = new long[1];

    /** Copy of an inline payload; grows to the largest that this entry ever held. */
    private MemorySegment inlineRoom = MemorySegment.NULL;

    private boolean isInline;

    /** The flow to its target; null for one-sided operations. */
    @Nullable
    Lane lane;

    /** All its flows to its peer; null for NOP. */
    @Nullable
    PeerLanes peer;

    /** Bytes of the message that lie in the ring or went through it. */
    long sentBytes;

    /** Slots in the ring whose answers are not there yet. */
    int slotsInFlight;

    /** The worst answer so far. */
    int answer;

    int answerArgument;

    /** The payload of a WRITE_IMM is at its place: it has begun. */
    boolean placed;

    /** Its flow and its peer count it among the messages that lie in the ring. */
    private boolean inFlow;

    /** When it was sent, for its timeout. */
    long sentAtNanos;

    Wqe(ShmJfc jfc) {
        this.jfc = jfc;
    }

    void fill(WorkRequest request) {
        begin(Opcode.of(request.opcode), request.flags, request.userContext, request.lengthBytes);
        immediate = request.immediate;
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
        if (request.inline != null) {
            copyInline(request.inline);
        } else {
            ensureSges(request.sgeCount);
            sgeCount = request.sgeCount;
            for (int i = 0; i < sgeCount; i++) {
                sgeSegment[i] = (ShmSegment) request.sgeSegment[i];
                sgeOffset[i] = request.sgeOffset[i];
                sgeLength[i] = request.sgeLength[i];
            }
        }
    }

    void fill(
            Opcode opcode,
            @Nullable ShmSegment local,
            long localOffset,
            long lengthBytes,
            long userContext,
            int flags) {
        begin(opcode, flags, userContext, lengthBytes);
        sgeCount = 1;
        sgeSegment[0] = local;
        sgeOffset[0] = localOffset;
        sgeLength[0] = lengthBytes;
    }

    /** A message that lies in one slot of the ring already. The places that {@link #release} has emptied stay so. */
    void fillSent(
            Opcode opcode,
            Lane lane,
            ShmSegment local,
            long localOffset,
            int lengthBytes,
            long userContext,
            int flags) {
        this.opcode = opcode;
        this.flags = flags;
        this.userContext = userContext;
        this.lengthBytes = lengthBytes;
        stage = Stage.SENT;
        status = CompletionStatus.SUCCESS;
        immediate = 0;
        targetHint = 0;
        recordJfc = null;
        placed = false;
        answer = 0;
        sentBytes = lengthBytes;
        slotsInFlight = 1;
        this.lane = lane;
        peer = lane.peer;
        sgeCount = 1;
        sgeSegment[0] = local;
        sgeOffset[0] = localOffset;
        sgeLength[0] = lengthBytes;
        inFlow = false;
        enterFlow(lane);
        local.pin(jfc);
        lane.unfinished++;
    }

    private void begin(Opcode opcode, int flags, long userContext, long lengthBytes) {
        this.opcode = opcode;
        this.flags = flags;
        this.userContext = userContext;
        this.lengthBytes = lengthBytes;
        stage = Stage.WAITING;
        status = CompletionStatus.SUCCESS;
        remote = null;
        notify = null;
        lane = null;
        peer = null;
        isInline = false;
        sgeCount = 0;
        targetHint = 0;
        recordJfc = null;
        rewind();
        placed = false;
        inFlow = false;
        sentAtNanos = 0;
    }

    boolean isSettled() {
        return stage == Stage.DONE || stage == Stage.REPORTED;
    }

    /** A success that was posted unsignalled: nobody is told. */
    boolean isSilent() {
        return status == CompletionStatus.SUCCESS && (flags & PostFlags.SIGNALLED_BIT) == 0;
    }

    /** Its first slot is in the ring. */
    void enterFlow(Lane lane) {
        if (!inFlow) {
            inFlow = true;
            lane.sent++;
            lane.peer.sent++;
            sentAtNanos = 0;
        }
    }

    /** It is answered, or given up: answers that still come are ignored. */
    void leaveFlow() {
        slotsInFlight = 0;
        if (inFlow && lane != null) {
            inFlow = false;
            lane.sent--;
            lane.peer.sent--;
        }
    }

    /** Forgets what was sent of it: it is to be sent from its start. */
    void rewind() {
        sentBytes = 0;
        slotsInFlight = 0;
        answer = 0;
        answerArgument = 0;
    }

    /** Whether the peer has got its first chunks, and would wait for the others. */
    boolean isHalfSent() {
        return stage == Stage.WAITING && sentBytes > 0;
    }

    /** Whether something of it may have been executed. */
    boolean hasBegun() {
        return placed || sentBytes > 0 || slotsInFlight > 0 || stage == Stage.SENT;
    }

    private void copyInline(MemorySegment payload) {
        int length = (int) payload.byteSize();
        if (inlineRoom.byteSize() < length) {
            inlineRoom = MemorySegment.ofArray(new byte[length]);
        }
        MemorySegment.copy(payload, 0, inlineRoom, 0, length);
        isInline = true;
    }

    private void ensureSges(int count) {
        if (sgeOffset.length < count) {
            sgeSegment = new ShmSegment[count];
            sgeOffset = new long[count];
            sgeLength = new long[count];
        }
    }

    /** Copies {@code lengthBytes} of the payload, from its byte {@code from} on. */
    void gather(long from, MemorySegment to, long toOffset, long lengthBytes) {
        if (isInline) {
            MemorySegment.copy(inlineRoom, from, to, toOffset, lengthBytes);
            return;
        }
        long skip = from;
        long done = 0;
        for (int i = 0; i < sgeCount && done < lengthBytes; i++) {
            long available = sgeLength[i] - skip;
            if (available <= 0) {
                skip -= sgeLength[i];
                continue;
            }
            long step = Math.min(available, lengthBytes - done);
            Placement.copy(local(i).memory, sgeOffset[i] + skip, to, toOffset + done, step);
            done += step;
            skip = 0;
        }
    }

    /** Fills the local ranges with bytes from elsewhere, in order. */
    void scatter(MemorySegment from, long fromOffset) {
        long done = 0;
        for (int i = 0; i < sgeCount; i++) {
            Placement.read(from, fromOffset + done, local(i).memory, sgeOffset[i], sgeLength[i]);
            done += sgeLength[i];
        }
    }

    ShmSegment local(int index) {
        ShmSegment segment = sgeSegment[index];
        assert segment != null : "range " + index + " of " + sgeCount;
        return segment;
    }

    /** While it is unfinished, what it names cannot be closed. */
    void pin() {
        for (int i = 0; i < sgeCount; i++) {
            local(i).pin(jfc);
        }
        if (remote != null) {
            remote.pin();
        }
        if (notify != null) {
            notify.pin();
        }
        if (lane != null) {
            lane.unfinished++;
        }
    }

    /** It is finished: lets go of what it named, so that this can be closed and collected. */
    void release() {
        for (int i = 0; i < sgeCount; i++) {
            local(i).unpin(jfc);
            sgeSegment[i] = null;
        }
        sgeCount = 0;
        if (remote != null) {
            remote.unpin();
            remote = null;
        }
        if (notify != null) {
            notify.unpin();
            notify = null;
        }
        if (lane != null) {
            lane.unfinished--;
            lane = null;
        }
        isInline = false;
    }
}
