package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** One registered region, whose key can be revoked: what peers may reach of an end. */
final class Region implements Memory {
    static final int KEY = 0x4711;
    static final long BASE = 0x10_0000_0000L;

    final MemorySegment bytes;
    int access = READ | WRITE | ATOMIC;
    boolean isRevoked;
    boolean obeysInvalidate = true;
    int atomics;
    int writes;

    /** Of each READ response: whether its packet might have referred to its bytes, were they many. */
    final List<Boolean> mayRefer = new ArrayList<>();

    Region(long lengthBytes) {
        bytes = MemorySegment.ofArray(new long[(int) (lengthBytes / Long.BYTES)]);
    }

    @Override
    public boolean isAllowed(int key, long va, long lengthBytes, int wanted, int connection) {
        long at = va - BASE;
        return key == KEY
                && !isRevoked
                && (access & wanted) == wanted
                && at >= 0
                && lengthBytes <= bytes.byteSize()
                && at <= bytes.byteSize() - lengthBytes;
    }

    @Override
    public boolean write(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        boolean allowed = isAllowed(key, va, lengthBytes, WRITE, connection);
        if (allowed) {
            MemorySegment.copy(from.segment(), fromOffset, bytes, va - BASE, lengthBytes);
            writes++;
        }
        return allowed;
    }

    @Override
    public boolean read(int key, long va, Packet to, int lengthBytes, int connection) {
        boolean allowed = isAllowed(key, va, lengthBytes, READ, connection);
        mayRefer.add(to.mayRefer(Packet.MIN_REFERRED_BYTES));
        if (allowed) {
            MemorySegment.copy(bytes, va - BASE, to.bytes().segment(), to.payloadAt(), lengthBytes);
        }
        return allowed;
    }

    @Override
    public boolean store(int key, long va, long value, int connection) {
        boolean allowed = isAllowed(key, va, Long.BYTES, WRITE, connection);
        if (allowed) {
            bytes.set(JAVA_LONG, va - BASE, value);
        }
        return allowed;
    }

    @Override
    public long atomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        atomics++;
        long at = va - BASE;
        long old = sizeBytes == Long.BYTES ? bytes.get(JAVA_LONG, at) : bytes.get(JAVA_INT, at) & 0xFFFF_FFFFL;
        long now = switch (opcode) {
            case WorkOpcode.CAS -> old == expected ? operand : old;
            case WorkOpcode.SWAP -> operand;
            case WorkOpcode.FADD -> old + operand;
            case WorkOpcode.FSUB -> old - operand;
            case WorkOpcode.FAND -> old & operand;
            case WorkOpcode.FOR -> old | operand;
            case WorkOpcode.FXOR -> old ^ operand;
            default -> throw new AssertionError("no atomic: " + opcode);
        };
        if (sizeBytes == Long.BYTES) {
            bytes.set(JAVA_LONG, at, now);
        } else {
            bytes.set(JAVA_INT, at, (int) now);
        }
        return old;
    }

    @Override
    public long invalidate(int key, int connection) {
        isRevoked |= obeysInvalidate && key == KEY;
        return obeysInvalidate && key == KEY ? AT_ONCE : REFUSED;
    }

    long word(long at) {
        return bytes.get(JAVA_LONG, at);
    }

    byte at(long at) {
        return bytes.get(JAVA_BYTE, at);
    }
}
