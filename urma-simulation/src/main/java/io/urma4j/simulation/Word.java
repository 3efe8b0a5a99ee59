package io.urma4j.simulation;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A word in a home's memory for atomics of one kind. Each of them has its own operand, so that the returned values and
 * the final value show how often each was executed.
 */
final class Word {
    final Life home;
    final int opcode;
    final int sizeBytes;
    final long offset;
    private final List<Operation> operations = new ArrayList<>();

    Word(Life home, int opcode, int sizeBytes, long offset) {
        this.home = home;
        this.opcode = opcode;
        this.sizeBytes = sizeBytes;
        this.offset = offset;
        if (opcode == WorkOpcode.FAND) {
            home.home.memory.set(JAVA_LONG, offset, sizeBytes == Long.BYTES ? -1 : 0xFFFF_FFFFL);
        }
    }

    /** Whether one more operation can be distinguished from the others. */
    boolean hasRoom() {
        return !marksBits() || operations.size() < sizeBytes * Byte.SIZE;
    }

    private boolean marksBits() {
        return opcode == WorkOpcode.FAND || opcode == WorkOpcode.FOR || opcode == WorkOpcode.FXOR;
    }

    void prepare(Operation operation) {
        long bit = 1L << operations.size();
        operation.word = this;
        operation.homeOffset = offset;
        operation.operand = switch (opcode) {
            case WorkOpcode.FAND -> ~bit;
            case WorkOpcode.FOR, WorkOpcode.FXOR -> bit;
            case WorkOpcode.SWAP -> operation.id;
            case WorkOpcode.CAS -> value() + 1;
            default -> 1;
        };
        operation.expected = opcode == WorkOpcode.CAS ? value() : 0;
        if (sizeBytes == Integer.BYTES) {
            operation.operand &= 0xFFFF_FFFFL;
        }
        operations.add(operation);
    }

    private long value() {
        return read(offset);
    }

    private long read(long at) {
        return sizeBytes == Long.BYTES
                ? home.home.memory.get(JAVA_LONG, at)
                : home.home.memory.get(JAVA_INT, at) & 0xFFFF_FFFFL;
    }

    /** The value that an atomic returned. */
    private long old(Operation operation) {
        var memory = operation.queue.life.local.memory;
        return sizeBytes == Long.BYTES
                ? memory.get(JAVA_LONG, operation.localOffset)
                : memory.get(JAVA_INT, operation.localOffset) & 0xFFFF_FFFFL;
    }

    /** At the end: each was executed once if it succeeded, at most once if it failed, not at all if it never started. */
    void check() {
        List<Operation> done = new ArrayList<>();
        List<Operation> maybe = new ArrayList<>();
        for (Operation one : operations) {
            if (one.queue.life.isDead || one.isUncertain()) {
                maybe.add(one);
            } else if (one.status == WorkStatus.SUCCESS) {
                done.add(one);
            }
        }
        switch (opcode) {
            case WorkOpcode.FADD -> checkCount(done, maybe, value(), false);
            case WorkOpcode.FSUB ->
                checkCount(done, maybe, (sizeBytes == Long.BYTES ? -value() : -value() & 0xFFFF_FFFFL), true);
            case WorkOpcode.CAS ->
                checkCount(done.stream().filter(one -> old(one) == one.expected).toList(), maybe, value(), false);
            case WorkOpcode.SWAP -> checkChain(done, maybe);
            default -> checkBits(done, maybe);
        }
    }

    private void checkCount(List<Operation> done, List<Operation> maybe, long counted, boolean down) {
        if (counted < done.size() || counted > done.size() + maybe.size()) {
            throw Violation.of(
                    "%s counts %d, but %d were executed, and %d perhaps", this, counted, done.size(), maybe.size());
        }
        Set<Long> olds = new HashSet<>();
        for (Operation one : done) {
            long old = old(one);
            long before = !down ? old : sizeBytes == Long.BYTES ? -old : -old & 0xFFFF_FFFFL;
            if (before < 0 || before >= counted || !olds.add(before)) {
                throw Violation.of(
                        "%s brought 0x%x, which is wrong or was returned to another operation, too: %s",
                        one, old, this);
            }
        }
    }

    /** Each stored value was returned to exactly one other operation, or is the final value. */
    private void checkChain(List<Operation> done, List<Operation> maybe) {
        if (!maybe.isEmpty()) {
            return; // one link of the chain may be missing, and then it proves nothing
        }
        Map<Long, Integer> balance = new HashMap<>();
        balance.merge(0L, 1, Integer::sum);
        balance.merge(value(), -1, Integer::sum);
        for (Operation one : done) {
            balance.merge(one.operand, 1, Integer::sum);
            balance.merge(old(one), -1, Integer::sum);
        }
        balance.values().removeIf(count -> count == 0);
        if (!balance.isEmpty()) {
            throw Violation.of("%s: values found and values left differ: %s", this, balance);
        }
    }

    private void checkBits(List<Operation> done, List<Operation> maybe) {
        long untouched = opcode == WorkOpcode.FAND ? sizeBytes == Long.BYTES ? -1 : 0xFFFF_FFFFL : 0;
        long changed = value() ^ untouched;
        long must = 0;
        for (Operation one : done) {
            long bit = bit(one);
            must |= bit;
            if (((old(one) ^ untouched) & bit) != 0) {
                throw Violation.of("%s found its own mark 0x%x: it was executed twice", one, bit);
            }
        }
        long may = must;
        for (Operation one : maybe) {
            may |= bit(one);
        }
        if ((changed & must) != must || (changed & ~may) != 0) {
            throw Violation.of("%s: bits 0x%x have changed, must 0x%x, may 0x%x", this, changed, must, may);
        }
    }

    private long bit(Operation one) {
        return opcode == WorkOpcode.FAND ? ~one.operand & (sizeBytes == Long.BYTES ? -1 : 0xFFFF_FFFFL) : one.operand;
    }

    @Override
    public String toString() {
        return String.format("word for %s of %d bytes at %s", Operation.name(opcode), sizeBytes, home);
    }
}
