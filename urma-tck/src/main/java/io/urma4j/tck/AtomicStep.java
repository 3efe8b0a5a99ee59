package io.urma4j.tck;

import io.urma4j.Opcode;

/**
 * One atomic or read of a word, as its initiator saw it. Times are of the machine's monotonic clock, which all processes
 * of a host share.
 *
 * @param result what was there before
 * @param startNanos before the post
 * @param endNanos after the record was polled
 */
public record AtomicStep(
        Opcode opcode, long offset, long operand, long expected, long result, long startNanos, long endNanos) {

    /** The value after it, if {@code before} was the value. */
    long after(long before, int sizeBytes) {
        long after = switch (opcode) {
            case READ -> before;
            case CAS -> before == expected ? operand : before;
            case SWAP -> operand;
            case FADD -> before + operand;
            case FSUB -> before - operand;
            case FAND -> before & operand;
            case FOR -> before | operand;
            case FXOR -> before ^ operand;
            default -> throw new IllegalArgumentException(opcode + " is no atomic");
        };
        return sizeBytes == Long.BYTES ? after : Integer.toUnsignedLong((int) after);
    }
}
