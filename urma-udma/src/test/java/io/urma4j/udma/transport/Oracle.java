package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.AtomicAckEth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Reth;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The machine around a responder of Linux, as far as a capture shows it: which keys were good, when a receive was posted, and
 * what was in memory, to which the program there wrote as well. What the protocol decides is not asked here; what an atomic
 * left is remembered.
 */
final class Oracle implements Memory, ReceiveWork {
    private final Conversation conversation;
    private final int mtuBytes;
    private final Map<Long, Long> words = new HashMap<>(); // that atomics have changed
    private int at; // the line of the request that is being handled

    Oracle(Conversation conversation, int mtuBytes) {
        this.conversation = conversation;
        this.mtuBytes = mtuBytes;
    }

    void at(int line) {
        at = line;
    }

    /** What Linux answered to the request: the first answer with its PSN that follows. */
    private @Nullable Packet answer(long skip) {
        int psn = conversation.lines.get(at).psn() + (int) skip & 0xFF_FFFF;
        for (int i = at + 1; i < conversation.lines.size(); i++) {
            Conversation.Line line = conversation.lines.get(i);
            if (!line.isRequest() && line.psn() == psn) {
                return line.packet();
            }
        }
        return null;
    }

    private boolean isAnswered(int syndrome) {
        Packet answer = answer(0);
        return answer != null
                && Opcodes.has(answer.opcode(), Header.AETH)
                && Aeth.syndrome(answer.bytes(), answer.at(Header.AETH)) == syndrome;
    }

    @Override
    public boolean isAllowed(int key, long va, long lengthBytes, int access, int connection) {
        return !isAnswered(Aeth.NAK_REMOTE_ACCESS);
    }

    @Override
    public boolean write(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        return isAllowed(key, va, lengthBytes, WRITE, connection);
    }

    @Override
    public boolean read(int key, long va, Packet to, int lengthBytes, int connection) {
        Packet request = conversation.lines.get(at).packet();
        long from = va - Reth.va(request.bytes(), request.at(Header.RETH));
        Packet answer = answer(from / mtuBytes);
        if (answer != null && answer.payloadBytes() == lengthBytes) {
            NativeMemory.copy(answer.bytes(), answer.payloadAt(), to.bytes(), to.payloadAt(), lengthBytes);
        }
        return true;
    }

    @Override
    public boolean store(int key, long va, long value, int connection) {
        throw new AssertionError("Linux sends no WRITE_NOTIFY");
    }

    @Override
    public long atomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        Packet answer = answer(0);
        long shown = answer == null ? 0 : AtomicAckEth.original(answer.bytes(), answer.at(Header.ATOMIC_ACK_ETH));
        long old = words.getOrDefault(va, shown);
        words.put(va, opcode == WorkOpcode.FADD ? old + operand : old == expected ? operand : old);
        return old;
    }

    @Override
    public long invalidate(int key, int connection) {
        return AT_ONCE;
    }

    @Override
    public long take() {
        return isAnswered(Aeth.rnrNak(12)) ? NONE : 1;
    }

    @Override
    public int rnrTimerCode() {
        return 12;
    }

    @Override
    public boolean allowsInvalidate() {
        return true;
    }

    @Override
    public long capacityBytes(long taken) {
        return isAnswered(Aeth.NAK_REMOTE_OPERATION) ? 0 : Long.MAX_VALUE;
    }

    @Override
    public boolean scatter(long taken, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
        return true;
    }

    @Override
    public void done(
            long taken,
            int status,
            int opcode,
            long lengthBytes,
            long immediate,
            boolean solicited,
            int sourceQueue,
            int connection,
            long nowNanos) {}

    @Override
    public void giveBack(long taken) {}
}
