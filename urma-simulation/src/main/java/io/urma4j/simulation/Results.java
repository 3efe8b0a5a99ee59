package io.urma4j.simulation;

import io.urma4j.udma.command.SendQueueConfig.Kind;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The checks after an operation has ended (SEMANTICS §8). */
final class Results {
    private Results() {}

    static void end(Operation operation, int status) {
        if (!operation.isOpen()) {
            throw Violation.of("%s ended twice, with %s first", operation, Operation.statusName(operation.status));
        }
        if (status != WorkStatus.SUCCESS && operation.queue.life.world.scenario.harmless()) {
            throw Violation.of(
                    "%s ended with %s, and nothing has happened to it", operation, Operation.statusName(status));
        }
        if (status == WorkStatus.WR_UNHANDLED && operation.delivered) {
            throw Violation.of("%s was never started, but has arrived", operation);
        }
        operation.status = status;
        if (status == WorkStatus.SUCCESS) {
            succeed(operation);
        }
        if (operation.opcode == WorkOpcode.READ) {
            checkNothingElseRead(operation);
        }
        if (operation.reads != null && --operation.reads.readers == 0) {
            close(operation.reads);
        }
    }

    private static void succeed(Operation operation) {
        if (operation.forbidden) {
            throw Violation.of("%s has succeeded", operation);
        }
        if (operation.tooLate) {
            throw Violation.of("%s has succeeded, but a later message was seen before its bytes", operation);
        }
        if (operation.target.isDead) {
            return;
        }
        if (operation.isWrite()) {
            checkWritten(operation);
            if (operation.readers == 0) {
                close(operation);
            }
        } else if (operation.opcode == WorkOpcode.READ) {
            checkRead(operation);
        }
        boolean arrives = operation.receiver != null && operation.queue.kind != Kind.UM;
        if (arrives && !operation.delivered) {
            throw Violation.of("%s has succeeded, but did not arrive", operation);
        }
    }

    // ---- writes

    /** The offset of the first byte that is missing; −1 when all are there, or when that is unknown. */
    static long isWritten(Operation write) {
        if (write.window != null && write.window.revoked) {
            return -1;
        }
        return Pattern.mismatch(write.target.home.memory, write.homeOffset, write.lengthBytes, write.id);
    }

    private static void checkWritten(Operation write) {
        long wrong = isWritten(write);
        if (wrong >= 0) {
            throw Violation.of("%s has succeeded, but its byte %d is not there", write, wrong);
        }
        if (write.opcode == WorkOpcode.WRITE_NOTIFY) {
            long value = write.target.home.memory.get(ValueLayout.JAVA_LONG, write.notifyOffset);
            if (value != write.id) {
                throw Violation.of("%s has succeeded, but its notice is 0x%x", write, value);
            }
        }
    }

    /** The range is checked: from now on any write to it is a duplicate. */
    private static void close(Operation write) {
        boolean open = write.status != WorkStatus.SUCCESS
                || write.target.isDead
                || write.window != null && write.window.revoked;
        if (!open) {
            Pattern.fill(write.target.home.memory, write.homeOffset, write.lengthBytes, Pattern.CLOSED);
        }
    }

    // ---- reads

    private static void checkRead(Operation read) {
        MemorySegment memory = read.queue.life.local.memory;
        long wrong = Pattern.mismatch(memory, read.localOffset, read.lengthBytes, read.pattern, read.patternFrom);
        if (wrong >= 0 && (read.reads == null || read.reads.status == WorkStatus.SUCCESS)) {
            throw Violation.of("%s has succeeded, but its byte %d is wrong", read, wrong);
        }
    }

    /** In all cases: the buffer has no bytes but the requested ones, and no secret. */
    private static void checkNothingElseRead(Operation read) {
        MemorySegment memory = read.queue.life.local.memory;
        read.queue.life.local.checkBehind(read.localOffset, read.lengthBytes, read);
        if (read.reads != null) {
            return;
        }
        for (long i = 0; i < read.lengthBytes; i++) {
            byte came = memory.get(ValueLayout.JAVA_BYTE, read.localOffset + i);
            boolean right =
                    read.forbidden ? i < read.insideBytes : came == Pattern.byteAt(read.pattern, read.patternFrom + i);
            if (came != 0 && !right) {
                throw Violation.of("byte %d of what %s brought is 0x%02x, not what it may read", i, read, came);
            }
        }
    }

    /** Checks that no peer has changed the source of a WRITE or SEND. */
    static void checkSource(Operation operation) {
        if (operation.lengthBytes > 0 && (operation.isMessage() || operation.isWrite()) && operation.localOffset > 0) {
            long wrong = Pattern.mismatch(
                    operation.queue.life.local.memory, operation.localOffset, operation.lengthBytes, operation.id);
            if (wrong >= 0) {
                throw Violation.of("byte %d of the source of %s has changed", wrong, operation);
            }
        }
    }
}
