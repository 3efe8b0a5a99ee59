package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.Layouts.SockFilter;
import io.urma4j.libc.Layouts.SockFprog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A program of the classic BSD packet filter, which the kernel runs for each datagram that comes: instructions are added in
 * order, and jumps lead forward alone. It has an accumulator A, a register X, and ends with {@link #answer}. A load from
 * where the packet has nothing ends it with 0.
 *
 * <p>For one thread at a time.
 */
public final class SocketProgram {
    /** The kernel takes no longer ones. */
    public static final int MAX_INSTRUCTIONS = 4096;

    /** Added to a place: it counts from the IP header on, and not from the payload. */
    public static final int IP_HEADER = -0x10_0000;

    // the numbers of the instructions, for readers of a program
    public static final int LOAD_CONSTANT = 0x00;
    public static final int JUMP = 0x05;
    public static final int ANSWER = 0x06;
    public static final int COPY_TO_X = 0x07;
    public static final int JUMP_IF_EQUAL = 0x15;
    public static final int LOAD_WORD = 0x20;
    public static final int MULTIPLY = 0x24;
    public static final int JUMP_IF_ABOVE = 0x25;
    public static final int LOAD_HALF = 0x28;
    public static final int LOAD_BYTE = 0x30;
    public static final int JUMP_IF_NOT_BELOW = 0x35;
    public static final int AND = 0x54;
    public static final int SHIFT_RIGHT = 0x74;
    public static final int LOAD_LENGTH = 0x80;
    public static final int XOR_X = 0xAC;

    private static final int MAX_BRANCH = 0xFF;

    private long[] instructions = new long[64]; // as the kernel has them
    private int length;

    // ---- what it does

    public void loadConstant(int value) {
        add(LOAD_CONSTANT, value);
    }

    /** A becomes the length of the payload in bytes. */
    public void loadLength() {
        add(LOAD_LENGTH, 0);
    }

    /** A becomes the byte there; places count from the payload on, or from the {@link #IP_HEADER}. */
    public void loadByte(int at) {
        add(LOAD_BYTE, at);
    }

    /** A becomes the two bytes there, the first of them the highest. */
    public void loadHalf(int at) {
        add(LOAD_HALF, at);
    }

    /** A becomes the four bytes there, the first of them the highest. */
    public void loadWord(int at) {
        add(LOAD_WORD, at);
    }

    /** X becomes A. */
    public void copyToX() {
        add(COPY_TO_X, 0);
    }

    public void xorX() {
        add(XOR_X, 0);
    }

    public void and(int mask) {
        add(AND, mask);
    }

    public void multiply(int factor) {
        add(MULTIPLY, factor);
    }

    /** Zeros come in. */
    public void shiftRight(int bits) {
        add(SHIFT_RIGHT, bits);
    }

    /** Passes over {@code ifSo} instructions when A has that value, else over {@code ifNot}; each at most 255. */
    public void ifEqual(int value, int ifSo, int ifNot) {
        branch(JUMP_IF_EQUAL, value, ifSo, ifNot);
    }

    /** The same when A is above the value, without a sign. */
    public void ifAbove(int value, int ifSo, int ifNot) {
        branch(JUMP_IF_ABOVE, value, ifSo, ifNot);
    }

    /** The same when A is the value or above it, without a sign. */
    public void ifNotBelow(int value, int ifSo, int ifNot) {
        branch(JUMP_IF_NOT_BELOW, value, ifSo, ifNot);
    }

    /** Jumps, to where {@link #land} says later; returns the number of the jump for that. */
    public int jump() {
        add(JUMP, 0);
        return length - 1;
    }

    /** A jump leads to the instruction that is added next. */
    public void land(int jump) {
        instructions[jump] = SockFilter.of(JUMP, 0, 0, length - jump - 1);
    }

    /** The program ends with that number. */
    public void answer(int number) {
        add(ANSWER, number);
    }

    private void branch(int code, int value, int ifSo, int ifNot) {
        if ((ifSo | ifNot) < 0 || ifSo > MAX_BRANCH || ifNot > MAX_BRANCH) {
            throw new IllegalArgumentException(
                    "a branch over " + ifSo + " or " + ifNot + " instructions is not within 0 and " + MAX_BRANCH);
        }
        put(SockFilter.of(code, ifSo, ifNot, value));
    }

    private void add(int code, int value) {
        put(SockFilter.of(code, 0, 0, value));
    }

    private void put(long instruction) {
        if (length == MAX_INSTRUCTIONS) {
            throw new IllegalStateException("the program has " + MAX_INSTRUCTIONS + " instructions already");
        }
        if (length == instructions.length) {
            instructions = Arrays.copyOf(instructions, 2 * length);
        }
        instructions[length++] = instruction;
    }

    // ---- what it consists of

    /** How many instructions it has. */
    public int length() {
        return length;
    }

    /** What an instruction does: one of the numbers above. */
    public int code(int instruction) {
        return SockFilter.code(instructions[instruction]);
    }

    public int ifSo(int instruction) {
        return SockFilter.ifSo(instructions[instruction]);
    }

    public int ifNot(int instruction) {
        return SockFilter.ifNot(instructions[instruction]);
    }

    public int value(int instruction) {
        return SockFilter.value(instructions[instruction]);
    }

    /** As the kernel takes it. */
    MemorySegment toNative(Arena arena) {
        MemorySegment filters = arena.allocate((long) length * Long.BYTES, Long.BYTES);
        for (int i = 0; i < length; i++) {
            filters.setAtIndex(JAVA_LONG, i, instructions[i]);
        }
        MemorySegment program = arena.allocate(SockFprog.BYTES, Long.BYTES);
        SockFprog.set(program, length, filters);
        return program;
    }

    @Override
    public String toString() {
        return "program of " + length + " instructions";
    }
}
