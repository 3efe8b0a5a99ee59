package io.urma4j.simulation;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import org.jspecify.annotations.Nullable;

/** A work request of the workload, with its state. */
final class Operation {
    /** Not ended yet. */
    static final int OPEN = -1;

    final int id;
    final int opcode;
    final int lengthBytes;
    final SendSide queue;
    final Life target;
    final boolean signalled;

    long position;
    int status = OPEN;

    // one-sided: where in the target's memory, and by which window
    long homeOffset;

    @Nullable
    Window window;
    /** READ: the pattern of the bytes, and the offset in it. */
    int pattern;

    long patternFrom;
    long notifyOffset;

    @Nullable
    Operation reads; // the WRITE whose bytes this READ reads back

    @Nullable
    Word word; // of an atomic

    long operand;
    long expected;

    // messages
    @Nullable
    ReceiveSide receiver;

    /** SEND_IMM, WRITE_IMM: its number, and perhaps more in the upper half. */
    long immediate;

    boolean delivered;

    @Nullable
    Window invalidates;

    // this side
    long localOffset;
    /** Its key or its range is wrong: it must not succeed, and no byte may move but those of {@link #insideBytes}. */
    boolean forbidden;
    /**
     * How many bytes at the start of a forbidden range lie inside the home's memory; a long READ requests these first.
     */
    int insideBytes;
    /** A later message was seen before its bytes: it must not succeed. */
    boolean tooLate;
    /** Operations that still read what it wrote. */
    int readers;

    Operation(int id, int opcode, int lengthBytes, SendSide queue, Life target, boolean signalled) {
        this.id = id;
        this.immediate = id;
        this.opcode = opcode;
        this.lengthBytes = lengthBytes;
        this.queue = queue;
        this.target = target;
        this.signalled = signalled;
    }

    boolean isMessage() {
        return opcode >= WorkOpcode.SEND && opcode <= WorkOpcode.SEND_INVALIDATE;
    }

    boolean isWrite() {
        return opcode <= WorkOpcode.WRITE_NOTIFY;
    }

    boolean isOpen() {
        return status == OPEN;
    }

    /** Whether its effect is unknown: it failed, and may have been executed or not. */
    boolean isUncertain() {
        return status != WorkStatus.SUCCESS && status != WorkStatus.WR_UNHANDLED;
    }

    static String name(int opcode) {
        return switch (opcode) {
            case WorkOpcode.WRITE -> "WRITE";
            case WorkOpcode.WRITE_IMM -> "WRITE_IMM";
            case WorkOpcode.WRITE_NOTIFY -> "WRITE_NOTIFY";
            case WorkOpcode.READ -> "READ";
            case WorkOpcode.CAS -> "CAS";
            case WorkOpcode.SWAP -> "SWAP";
            case WorkOpcode.FADD -> "FADD";
            case WorkOpcode.FSUB -> "FSUB";
            case WorkOpcode.FAND -> "FAND";
            case WorkOpcode.FOR -> "FOR";
            case WorkOpcode.FXOR -> "FXOR";
            case WorkOpcode.SEND -> "SEND";
            case WorkOpcode.SEND_IMM -> "SEND_IMM";
            case WorkOpcode.SEND_INVALIDATE -> "SEND_INVALIDATE";
            case WorkOpcode.NOP -> "NOP";
            default -> String.format("0x%02x", opcode);
        };
    }

    static String statusName(int status) {
        return switch (status) {
            case OPEN -> "OPEN";
            case WorkStatus.SUCCESS -> "SUCCESS";
            case WorkStatus.UNSUPPORTED_OPCODE_ERR -> "UNSUPPORTED_OPCODE_ERR";
            case WorkStatus.LOC_LEN_ERR -> "LOC_LEN_ERR";
            case WorkStatus.LOC_OPERATION_ERR -> "LOC_OPERATION_ERR";
            case WorkStatus.LOC_ACCESS_ERR -> "LOC_ACCESS_ERR";
            case WorkStatus.REM_RESP_LEN_ERR -> "REM_RESP_LEN_ERR";
            case WorkStatus.REM_UNSUPPORTED_REQ_ERR -> "REM_UNSUPPORTED_REQ_ERR";
            case WorkStatus.REM_OPERATION_ERR -> "REM_OPERATION_ERR";
            case WorkStatus.REM_ACCESS_ABORT_ERR -> "REM_ACCESS_ABORT_ERR";
            case WorkStatus.ACK_TIMEOUT_ERR -> "ACK_TIMEOUT_ERR";
            case WorkStatus.RNR_RETRY_CNT_EXC_ERR -> "RNR_RETRY_CNT_EXC_ERR";
            case WorkStatus.WR_FLUSH_ERR -> "WR_FLUSH_ERR";
            case WorkStatus.WR_SUSPEND_DONE -> "WR_SUSPEND_DONE";
            case WorkStatus.WR_FLUSH_ERR_DONE -> "WR_FLUSH_ERR_DONE";
            case WorkStatus.WR_UNHANDLED -> "WR_UNHANDLED";
            default -> "status " + status;
        };
    }

    @Override
    public String toString() {
        return String.format(
                "#%d %s of %d bytes from %s at %d to %s%s",
                id, name(opcode), lengthBytes, queue, position, target, forbidden ? ", forbidden" : "");
    }
}
