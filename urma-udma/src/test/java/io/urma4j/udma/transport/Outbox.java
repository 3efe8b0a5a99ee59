package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A send queue: its payload is a range of its buffer, as is what READs and atomics bring. Starts its work requests in order,
 * as soon as it may, and begins flows anew that were not ready.
 */
final class Outbox implements SendWork {
    private static final int SLOTS = 4096;
    private static final long STRIDE = SendWqe.BLOCK_BYTES;

    record Result(long position, int status) {}

    final MemorySegment buffer;
    final List<Result> results = new ArrayList<>();
    final List<Boolean> mayRefer =
            new ArrayList<>(); // of each packet: whether it might have referred to its bytes, were they many
    boolean isBufferGone;
    long goneFrom = Long.MAX_VALUE; // the first position whose buffer is gone
    boolean isPayloadLate; // a copy of it has not ended
    int notReady;

    private final int number;
    private final int remoteQueue;
    private final NativeMemory ring = NativeMemory.allocate(SLOTS * STRIDE);
    private final long[] bufferAt = new long[SLOTS];

    private long posted;
    private long next; // to be started, when nothing waits
    private final Set<Long> open = new HashSet<>();
    private final List<Long> waiting = new ArrayList<>(); // were not ready
    private long retryAtNanos;
    private boolean startsAnew = true;

    Outbox(int number, int remoteQueue, int bufferBytes) {
        this.number = number;
        this.remoteQueue = remoteQueue;
        this.buffer = MemorySegment.ofArray(new byte[bufferBytes]);
    }

    // ---- posting

    long post(int opcode, long bufferOffset, int lengthBytes, long remoteOffset, long operand, long expected) {
        return post(opcode, WorkOpcode.SIGNALLED, bufferOffset, lengthBytes, remoteOffset, operand, expected);
    }

    long post(int opcode, int flags, long bufferOffset, int length, long remoteOffset, long operand, long expected) {
        long at = at(posted);
        SendWqe.put(ring, at, opcode, flags, 0, 0, length);
        SendWqe.hint(ring, at, 0);
        SendWqe.remote(ring, at, Region.KEY, Region.BASE + remoteOffset);
        SendWqe.operands(ring, at, operand, expected);
        bufferAt[(int) (posted % SLOTS)] = bufferOffset;
        return posted++;
    }

    long send(int lengthBytes) {
        return post(WorkOpcode.SEND, 0, lengthBytes, 0, 0, 0);
    }

    long write(int lengthBytes, long remoteOffset) {
        return post(WorkOpcode.WRITE, 0, lengthBytes, remoteOffset, 0, 0);
    }

    long read(long toOffset, int lengthBytes, long remoteOffset) {
        return post(WorkOpcode.READ, toOffset, lengthBytes, remoteOffset, 0, 0);
    }

    long atomic(int opcode, long toOffset, int sizeBytes, long remoteOffset, long operand, long expected) {
        return post(opcode, toOffset, sizeBytes, remoteOffset, operand, expected);
    }

    void notifyAt(long position, int key, long va, long value) {
        SendWqe.notify(ring, at(position), key, va, value);
    }

    void key(long position, int key) {
        SendWqe.remote(ring, at(position), key, SendWqe.remoteVa(ring, at(position)));
    }

    boolean isIdle() {
        return next == posted && open.isEmpty() && waiting.isEmpty();
    }

    int[] statuses() {
        return results.stream().mapToInt(Result::status).toArray();
    }

    // ---- starting

    /** Starts what can start. */
    void run(Connection connection, long nowNanos) {
        if (!waiting.isEmpty()) {
            if (open.isEmpty() && nowNanos >= retryAtNanos) {
                next = waiting.getFirst();
                waiting.clear();
                startsAnew = true;
            } else {
                return;
            }
        }
        while (next < posted && waiting.isEmpty() && connection.mayStart(this, next) && !isBehindMessages(connection)) {
            long position = next++;
            open.add(position);
            boolean isMessage = WorkOpcode.isMessage(SendWqe.opcode(SendWqe.word(ring, at(position))));
            boolean anew = startsAnew && isMessage;
            startsAnew &= !isMessage;
            connection.start(this, position, remoteQueue, anew);
        }
    }

    /** Somebody else starts it. */
    void begun(long position) {
        open.add(position);
        next = position + 1;
    }

    /** On shared connections nothing one-sided starts before what may be not ready. */
    private boolean isBehindMessages(Connection connection) {
        if (!connection.config().isShared() || WorkOpcode.isMessage(SendWqe.opcode(SendWqe.word(ring, at(next))))) {
            return false;
        }
        return open.stream()
                .anyMatch(position -> WorkOpcode.isMessage(SendWqe.opcode(SendWqe.word(ring, at(position)))));
    }

    long retryAtNanos() {
        return waiting.isEmpty() || !open.isEmpty() ? Long.MAX_VALUE : retryAtNanos;
    }

    // ---- SendWork

    @Override
    public boolean awaits(long position, long from, int lengthBytes) {
        return isPayloadLate;
    }

    @Override
    public int queueId() {
        return number;
    }

    @Override
    public NativeMemory ring() {
        return ring;
    }

    @Override
    public long at(long position) {
        return position % SLOTS * STRIDE;
    }

    @Override
    public boolean gather(long position, long from, Packet to, int lengthBytes) {
        boolean isGone = isBufferGone || position >= goneFrom;
        mayRefer.add(to.mayRefer(Packet.MIN_REFERRED_BYTES));
        if (!isGone) {
            MemorySegment.copy(
                    buffer,
                    bufferAt[(int) (position % SLOTS)] + from,
                    to.bytes().segment(),
                    to.payloadAt(),
                    lengthBytes);
        }
        return !isGone;
    }

    @Override
    public boolean scatter(long position, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
        if (!isBufferGone) {
            MemorySegment.copy(
                    from.segment(), fromOffset, buffer, bufferAt[(int) (position % SLOTS)] + toOffset, lengthBytes);
        }
        return !isBufferGone;
    }

    @Override
    public void done(long position, int status) {
        if (!open.remove(position)) {
            throw new AssertionError(position + " of queue " + number + " has ended twice, or never started");
        }
        results.add(new Result(position, status));
        watcher.ended(position, status);
    }

    @Override
    public void notReady(long position, long waitNanos) {
        if (!open.remove(position)) {
            throw new AssertionError(position + " of queue " + number + " is not ready and was not started");
        }
        notReady++;
        waiting.add(position);
        retryAtNanos = Math.max(retryAtNanos, now.nanos() + waitNanos);
    }

    /** Sees each result when it comes. */
    interface Watcher {
        void ended(long position, int status);
    }

    Watcher watcher = (position, status) -> {};

    /** Where the time comes from. */
    interface Clock {
        long nanos();
    }

    Clock now = () -> 0;

    byte got(long offset) {
        return buffer.get(JAVA_BYTE, offset);
    }

    void fill(long seed) {
        for (long i = 0; i < buffer.byteSize(); i++) {
            buffer.set(JAVA_BYTE, i, (byte) (i * 31 + (i >> 8) + seed));
        }
    }
}
