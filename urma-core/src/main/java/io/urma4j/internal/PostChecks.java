package io.urma4j.internal;

import io.urma4j.DeviceAttributes;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;

/** Holds what is posted to a send queue against its mode and the limits of its device. Safe for any thread. */
public final class PostChecks {
    private final Object queue;
    private final JfsConfig config;
    private final boolean datagrams;
    private final long maxReadWriteBytes;
    private final long maxMessageBytes;
    private final int immediateBits;

    /** The refusals name {@code queue}. */
    public PostChecks(Object queue, JfsConfig config, DeviceAttributes device) {
        this.queue = queue;
        this.config = config;
        this.datagrams = config.mode() == TransportMode.UM;
        // mode UM supports only messages: no length is allowed for other opcodes (S5.1)
        this.maxReadWriteBytes = datagrams ? -1 : device.limits().readWriteBytes();
        long messageBytes = device.limits().messageBytes();
        this.maxMessageBytes = datagrams ? Math.min(messageBytes, device.mtuBytes()) : messageBytes;
        this.immediateBits = device.capabilities().immediateBits();
    }

    /** A write, read or atomic of that length is possible. */
    public void length(long lengthBytes) {
        if (lengthBytes > maxReadWriteBytes) {
            throw tooLong(lengthBytes);
        }
    }

    private UrmaException tooLong(long lengthBytes) {
        return datagrams
                ? Checks.invalid(queue, "mode UM supports only messages")
                : Checks.invalid(
                        queue, "length " + lengthBytes + " is more than the device's limit of " + maxReadWriteBytes);
    }

    /** The opcode is one of messages, and they can have that length and immediate. */
    public void send(Opcode opcode, long lengthBytes, long immediate) {
        if (opcode != Opcode.SEND && opcode != Opcode.SEND_IMM && opcode != Opcode.SEND_INVALIDATE) {
            throw Checks.invalid(queue, opcode + " is not a send opcode");
        }
        if (datagrams && opcode == Opcode.SEND_INVALIDATE) {
            throw Checks.invalid(queue, opcode + " does not exist in mode UM");
        }
        if (lengthBytes > maxMessageBytes) {
            throw Checks.invalid(
                    queue,
                    "length " + lengthBytes + " is more than the device's " + (datagrams ? "MTU" : "limit") + " of "
                            + maxMessageBytes);
        }
        if (opcode == Opcode.SEND_INVALIDATE && immediate != (int) immediate && immediate >>> Integer.SIZE != 0) {
            throw Checks.invalid(queue, "token id 0x" + Long.toHexString(immediate) + " is longer than 32 bits");
        }
        immediate(opcode, immediate);
    }

    /** The immediate of an opcode that carries one fits into the device's width (S8.4). */
    public void immediate(Opcode opcode, long immediate) {
        boolean carried = opcode == Opcode.SEND_IMM || opcode == Opcode.WRITE_IMM;
        if (carried && immediateBits < Long.SIZE && immediate >>> immediateBits != 0) {
            throw Checks.invalid(
                    queue,
                    "immediate 0x" + Long.toHexString(immediate) + " does not fit into the device's " + immediateBits
                            + " bits");
        }
    }

    /** The opcode is an atomic, of a size that exists, and its result is aligned. */
    public void atomic(Opcode opcode, long resultOffset, int sizeBytes) {
        if (opcode.kind() != Opcode.Kind.ATOMIC) {
            throw Checks.invalid(queue, opcode + " is not an atomic");
        }
        Checks.atomicSize(queue, sizeBytes);
        length(sizeBytes);
        if ((resultOffset & (sizeBytes - 1)) != 0) {
            throw Checks.invalid(
                    queue, "offset " + resultOffset + " of the result is not a multiple of its size " + sizeBytes);
        }
    }

    /** Datagrams are unordered, so their flags must not request an order (S8.6). */
    public void flags(int flags) {
        if (datagrams) {
            datagramFlags(flags);
        }
    }

    private void datagramFlags(int flags) {
        if ((flags & (PostFlags.RELAXED_BIT | PostFlags.STRONG_BIT)) != 0) {
            throw Checks.invalid(queue, "place_order is set, but mode UM has no order");
        }
        if ((flags & PostFlags.FENCE_BIT) != 0) {
            throw Checks.invalid(queue, "fence is set, but mode UM has no order");
        }
        if ((flags & PostFlags.COMPLETION_ORDER_BIT) != 0 && config.outOfOrderCompletion()) {
            throw Checks.invalid(queue, "comp_order is set, but this queue of mode UM completes out of order");
        }
    }
}
