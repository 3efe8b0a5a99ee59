package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Opcode;
import io.urma4j.RemoteSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Works on a few words with random atomics and reads, and records their results. */
final class AtomicHammer {
    /** Distance of the words, so that they share no cache line. */
    static final long STRIDE = 64;

    private static final List<Opcode> OPCODES = List.of(
            Opcode.CAS,
            Opcode.CAS,
            Opcode.SWAP,
            Opcode.FADD,
            Opcode.FSUB,
            Opcode.FAND,
            Opcode.FOR,
            Opcode.FXOR,
            Opcode.READ);

    /** Few, so that a CAS often finds what it expects. */
    private static final int VALUES = 6;

    private AtomicHammer() {}

    /**
     * Makes {@code count} steps.
     *
     * @param first offset of the first word
     * @param words how many words there are
     */
    static List<AtomicStep> strike(
            SendSide queue, RemoteSegment remote, long first, int words, int sizeBytes, long seed, int count) {
        var random = new SplittableRandom(seed);
        List<AtomicStep> seen = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Opcode opcode = OPCODES.get(random.nextInt(OPCODES.size()));
            long offset = first + STRIDE * random.nextInt(words);
            long operand = random.nextInt(VALUES);
            long expected = random.nextInt(VALUES);
            long start = System.nanoTime();
            long result = opcode == Opcode.READ
                    ? read(queue, remote, offset, sizeBytes)
                    : queue.atomic(opcode, remote, offset, sizeBytes, operand, expected);
            seen.add(new AtomicStep(opcode, offset, operand, expected, result, start, System.nanoTime()));
        }
        return seen;
    }

    private static long read(SendSide queue, RemoteSegment remote, long offset, int sizeBytes) {
        queue.read(remote, offset, queue.scratch(), 0, sizeBytes);
        return sizeBytes == Long.BYTES
                ? queue.scratch().memory().get(JAVA_LONG, 0)
                : Integer.toUnsignedLong(queue.scratch().memory().get(JAVA_INT, 0));
    }
}
