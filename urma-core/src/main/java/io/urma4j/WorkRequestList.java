package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.spi.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Work requests that are posted together. The list is created once and reused, so that posting allocates nothing.
 *
 * <p>A method without a local range starts a work request; {@link #from} adds its local ranges, up to the queue's
 * limit. Requests are checked when they are posted, one by one (S9.1). For one thread at a time.
 *
 * <pre>{@code
 * list.clear();
 * list.write(table, 0, 1).from(header, 0, 16).from(body, 0, length);
 * list.writeNotify(table, 64, flag, 0, 1, 2).from(body, 64, 64);
 * int next = jfs.post(list);
 * while (next < list.size() && list.refusal().isEmpty()) { // the queue was full
 *     jfc.poll(batch);
 *     next = jfs.post(list, next);
 * }
 * }</pre>
 */
public final class WorkRequestList {
    private final WorkRequest[] requests;
    private final RequestHandles[] handles;
    private final int maxSges;
    private int size;
    private @Nullable UrmaException refusal;

    /**
     * An empty list.
     *
     * @param capacity maximum requests, 1…65536
     * @param maxSges maximum local ranges of a request, 1…64
     */
    public WorkRequestList(int capacity, int maxSges) {
        Checks.inRange("WorkRequestList", "capacity", capacity, 1, 1 << 16);
        Checks.inRange("WorkRequestList", "maxSges", maxSges, 1, 64);
        this.maxSges = maxSges;
        requests = new WorkRequest[capacity];
        handles = new RequestHandles[capacity];
        for (int i = 0; i < capacity; i++) {
            requests[i] = new WorkRequest(maxSges);
            handles[i] = new RequestHandles(maxSges);
        }
    }

    public int size() {
        return size;
    }

    public int capacity() {
        return requests.length;
    }

    /** Removes all requests. */
    public WorkRequestList clear() {
        size = 0;
        refusal = null;
        return this;
    }

    /** Why the last post stopped before the end; empty if it did not, or if the queue was full. */
    public Optional<UrmaException> refusal() {
        return Optional.ofNullable(refusal);
    }

    /** Starts a WRITE. */
    public WorkRequestList write(RemoteRange target, long targetOffset, long userContext) {
        return begin(Opcode.WRITE, target, targetOffset, userContext);
    }

    /** Starts a READ; its local ranges are filled in order. */
    public WorkRequestList read(RemoteRange source, long sourceOffset, long userContext) {
        return begin(Opcode.READ, source, sourceOffset, userContext);
    }

    /** Starts a WRITE_IMM: places bytes in {@code target}, then consumes a receive work request of {@code receiver}. */
    public WorkRequestList writeImmediate(
            @Nullable TargetJetty receiver, RemoteRange target, long targetOffset, long immediate, long userContext) {
        begin(Opcode.WRITE_IMM, target, targetOffset, userContext);
        handles[size - 1].target = receiver;
        requests[size - 1].operand = immediate;
        return this;
    }

    /**
     * Starts a WRITE_NOTIFY: places bytes, then stores {@code value} at the 8-aligned {@code notifyOffset}. A reader that
     * loads the value with acquire sees the bytes.
     */
    public WorkRequestList writeNotify(
            RemoteRange target,
            long targetOffset,
            RemoteRange notify,
            long notifyOffset,
            long value,
            long userContext) {
        begin(Opcode.WRITE_NOTIFY, target, targetOffset, userContext);
        handles[size - 1].notify = notify;
        requests[size - 1].notifyOffset = notifyOffset;
        requests[size - 1].operand = value;
        return this;
    }

    /** Starts an atomic; its one local range of the same size receives the old value. */
    public WorkRequestList atomic(
            Opcode opcode,
            RemoteRange target,
            long targetOffset,
            int sizeBytes,
            long operand,
            long expected,
            long userContext) {
        if (opcode.kind() != Opcode.Kind.ATOMIC) {
            throw Checks.invalid(this, opcode + " is not an atomic");
        }
        begin(opcode, target, targetOffset, userContext);
        handles[size - 1].atomicSizeBytes = sizeBytes;
        requests[size - 1].operand = operand;
        requests[size - 1].expected = expected;
        return this;
    }

    /** Starts a SEND; {@code target} may be null in mode RC. */
    public WorkRequestList send(@Nullable TargetJetty target, long userContext) {
        return beginMessage(Opcode.SEND, target, 0, userContext);
    }

    /** Starts a SEND_IMM; {@code target} may be null in mode RC. */
    public WorkRequestList sendImmediate(@Nullable TargetJetty target, long immediate, long userContext) {
        return beginMessage(Opcode.SEND_IMM, target, immediate, userContext);
    }

    /** Starts a SEND_INVALIDATE, which revokes {@code tokenId} of the receiver; {@code target} may be null in RC. */
    public WorkRequestList sendInvalidate(@Nullable TargetJetty target, int tokenId, long userContext) {
        return beginMessage(Opcode.SEND_INVALIDATE, target, tokenId, userContext);
    }

    /** Starts a NOP: moves nothing, and completes after all earlier requests. */
    public WorkRequestList nop(long userContext) {
        return beginMessage(Opcode.NOP, null, 0, userContext);
    }

    /** Starts a receive work request, for {@link Jfr#receive(WorkRequestList)}; its buffers are filled in order. */
    public WorkRequestList receive(long userContext) {
        beginMessage(Opcode.NOP, null, 0, userContext);
        handles[size - 1].receive = true;
        return this;
    }

    /** Adds a local range to the last started request. */
    public WorkRequestList from(LocalSegment segment, long offset, long lengthBytes) {
        WorkRequest request = last();
        if (request.sgeCount == maxSges) {
            throw Checks.invalid(this, "a request has at most " + maxSges + " local ranges");
        }
        int index = request.sgeCount++;
        handles[size - 1].local[index] = segment;
        request.sgeOffset[index] = offset;
        request.sgeLength[index] = lengthBytes;
        return this;
    }

    /** Like {@link #from}; reads better for READs, atomics and receives. */
    public WorkRequestList into(LocalSegment segment, long offset, long lengthBytes) {
        return from(segment, offset, lengthBytes);
    }

    /**
     * Sets the inline payload of the last started request, from any memory, including the Java heap. The post copies it;
     * its size is at most the queue's inline limit (S8.3).
     */
    public WorkRequestList inline(MemorySegment payload) {
        last().inline = payload;
        return this;
    }

    /**
     * Selects the member of a Jetty group for the last started request: with {@code HASH_HINT}, the same member for the
     * same hint. Other targets ignore it; the default hint is 0.
     */
    public WorkRequestList targetHint(int hint) {
        last().targetHint = hint;
        return this;
    }

    /**
     * Sends the record of the last started request to {@code jfc} instead of the queue's own JFC (S8.5). The JFC cannot be
     * closed before the queue from then on. All later posts of the queue cost slightly more, since polling one JFC says
     * nothing about the order in the other.
     */
    public WorkRequestList recordTo(Jfc jfc) {
        last();
        handles[size - 1].jfc = jfc;
        return this;
    }

    /**
     * Lets the last started request wait for work of a device, such as a kernel that fills its local range (S15.51). Later requests to the
     * same target wait behind it. No timeout runs meanwhile; a flush of the queue ends the request. If the work fails, the request ends
     * with LOC_ACCESS_ERR.
     */
    public WorkRequestList after(DeviceEvent event) {
        last();
        handles[size - 1].after = Checks.notNull(this, "event", event);
        return this;
    }

    /** Sets the flags of the last started request. */
    public WorkRequestList flags(PostFlags flags) {
        last().flags = flags.bits();
        return this;
    }

    private WorkRequestList begin(Opcode opcode, RemoteRange remote, long remoteOffset, long userContext) {
        WorkRequest request = next(opcode, userContext);
        handles[size - 1].remote = remote;
        request.remoteOffset = remoteOffset;
        return this;
    }

    private WorkRequestList beginMessage(
            Opcode opcode, @Nullable TargetJetty target, long immediate, long userContext) {
        WorkRequest request = next(opcode, userContext);
        handles[size - 1].target = target;
        request.operand = immediate;
        return this;
    }

    private WorkRequest next(Opcode opcode, long userContext) {
        if (size == requests.length) {
            throw Checks.invalid(this, "is full");
        }
        WorkRequest request = requests[size++];
        request.opcode = opcode.value();
        request.flags = PostFlags.DEFAULT.bits();
        request.userContext = userContext;
        request.inline = null;
        request.sgeCount = 0;
        request.targetHint = 0;
        handles[size - 1].receive = false;
        handles[size - 1].jfc = null;
        handles[size - 1].after = null;
        return request;
    }

    private WorkRequest last() {
        if (size == 0) {
            throw Checks.invalid(this, "no request was started");
        }
        return requests[size - 1];
    }

    int postTo(Jfs jfs, int fromIndex, UrmaContext context, JfsConfig config) {
        Checks.inRange(jfs, "fromIndex", fromIndex, 0, size);
        refusal = null;
        for (int i = fromIndex; i < size; i++) {
            try {
                check(i, jfs, context, config);
                if (!jfs.post(requests[i])) {
                    return i;
                }
            } catch (UrmaException e) {
                refusal = e;
                return i;
            } finally {
                handles[i].end();
            }
        }
        return size;
    }

    int postTo(Jfr jfr, int fromIndex, UrmaContext context, int sgeLimit) {
        Checks.inRange(jfr, "fromIndex", fromIndex, 0, size);
        refusal = null;
        for (int i = fromIndex; i < size; i++) {
            try {
                checkReceive(i, jfr);
                checkLocal(i, context, sgeLimit, true);
                if (!jfr.receive(requests[i])) {
                    return i;
                }
            } catch (UrmaException e) {
                refusal = e;
                return i;
            }
        }
        return size;
    }

    private void checkReceive(int index, Jfr jfr) {
        if (!handles[index].receive) {
            throw Checks.invalid(
                    jfr, "request " + index + " is a " + Opcode.of(requests[index].opcode) + ", not a receive");
        }
        if (requests[index].inline != null) {
            throw Checks.invalid(jfr, "a receive has buffers, not an inline payload");
        }
        if (handles[index].after != null) {
            throw Checks.invalid(jfr, "a receive waits for a message, not for " + handles[index].after);
        }
        if (handles[index].jfc != null) {
            throw Checks.invalid(
                    jfr, "the record of a receive goes to its JFR's or Jetty's JFC, not to " + handles[index].jfc);
        }
    }

    private void check(int index, Jfs jfs, UrmaContext context, JfsConfig config) {
        WorkRequest request = requests[index];
        RequestHandles named = handles[index];
        Opcode opcode = Opcode.of(request.opcode);
        if (named.receive) {
            throw Checks.invalid(jfs, "request " + index + " is a receive, which belongs to a JFR");
        }
        if (config.mode() == TransportMode.UM && opcode != Opcode.SEND && opcode != Opcode.SEND_IMM) {
            throw Checks.invalid(jfs, opcode + " does not exist in mode UM");
        }
        jfs.checks().flags(request.flags);
        request.jfc = named.jfc == null ? null : jfs.checkedForRecords(named.jfc);
        request.after = named.checkedEvent(jfs, index);
        checkLocal(index, context, config.maxSges(), hasResult(opcode));
        if (request.inline != null) {
            checkInline(opcode, request, jfs, config.maxInlineBytes());
        }
        switch (opcode) {
            case WRITE -> checkWrite(request, named, jfs, context);
            case WRITE_IMM -> {
                checkWrite(request, named, jfs, context);
                jfs.checks().immediate(opcode, request.operand);
                request.target = jfs.checkedTarget(named.target);
            }
            case WRITE_NOTIFY -> {
                checkWrite(request, named, jfs, context);
                checkNotify(request, named, context);
            }
            case READ -> {
                jfs.checks().length(request.lengthBytes);
                request.remote = named.forRead(jfs, context, request);
            }
            case CAS, SWAP, FADD, FSUB, FAND, FOR, FXOR -> checkAtomic(opcode, request, named, jfs, context);
            case SEND, SEND_IMM, SEND_INVALIDATE -> {
                jfs.checks().send(opcode, request.lengthBytes, request.operand);
                request.target = jfs.checkedTarget(named.target);
            }
            case NOP -> request.lengthBytes = 0;
        }
    }

    private void checkLocal(int index, UrmaContext context, int sgeLimit, boolean isDestination) {
        WorkRequest request = requests[index];
        if (request.sgeCount > sgeLimit) {
            throw Checks.invalid(
                    this,
                    "request " + index + " has " + request.sgeCount + " local ranges, more than the queue's limit of "
                            + sgeLimit);
        }
        long total = 0;
        for (int i = 0; i < request.sgeCount; i++) {
            LocalSegment segment = Checks.notNull(this, "local segment", handles[index].local[i]);
            long offset = request.sgeOffset[i];
            long length = request.sgeLength[i];
            request.sgeSegment[i] = isDestination
                    ? segment.checkedAsDestination(context, offset, length)
                    : segment.checked(context, offset, length);
            total = Math.addExact(total, request.sgeLength[i]);
        }
        request.lengthBytes = total;
    }

    private static boolean hasResult(Opcode opcode) {
        return opcode == Opcode.READ || opcode.kind() == Opcode.Kind.ATOMIC;
    }

    private static void checkInline(Opcode opcode, WorkRequest request, Jfs jfs, int limitBytes) {
        MemorySegment payload = Checks.notNull(jfs, "inline payload", request.inline);
        if (hasResult(opcode)) {
            throw Checks.invalid(jfs, "the result of " + opcode + " needs a local range, not an inline payload");
        }
        if (request.sgeCount > 0) {
            throw Checks.invalid(jfs, "a request has either an inline payload or local ranges");
        }
        if (payload.byteSize() > limitBytes) {
            throw Checks.invalid(
                    jfs,
                    "inline payload of " + payload.byteSize() + " bytes is more than the queue's limit of "
                            + limitBytes);
        }
        Checks.usableHere(jfs, "inline payload", payload);
        request.lengthBytes = payload.byteSize();
    }

    private static void checkWrite(WorkRequest request, RequestHandles named, Jfs jfs, UrmaContext context) {
        jfs.checks().length(request.lengthBytes);
        request.remote = named.forWrite(jfs, context, request);
    }

    private static void checkNotify(WorkRequest request, RequestHandles named, UrmaContext context) {
        RemoteRange notify = Checks.notNull(context, "notify segment", named.notify);
        if ((request.notifyOffset & 7) != 0) {
            throw Checks.invalid(notify, "notify offset " + request.notifyOffset + " is not a multiple of 8");
        }
        request.notify = named.forNotify(notify, context, request);
    }

    private static void checkAtomic(
            Opcode opcode, WorkRequest request, RequestHandles named, Jfs jfs, UrmaContext context) {
        if (request.sgeCount != 1 || request.sgeLength[0] != named.atomicSizeBytes) {
            throw Checks.invalid(
                    jfs, "an atomic of " + named.atomicSizeBytes + " bytes needs one local range of that size");
        }
        jfs.checks().atomic(opcode, request.sgeOffset[0], named.atomicSizeBytes);
        request.remote = named.forAtomic(jfs, context, request);
    }

    @Override
    public String toString() {
        return "WorkRequestList of " + size;
    }
}
