package io.urma4j.udma.ring;

import io.urma4j.libc.NativeMemory;

/**
 * Layout of a send work queue element. All elements of a ring have the same number of basic blocks, enough for the
 * longest that the queue may take; a request with one local range needs one block.
 *
 * <pre>
 *   0  opcode       u8   of URMA, and AFTER_EVENT
 *   1  flags        u8   of PostFlags, and below
 *   2  ranges       u8   number of local ranges, and ON_DEVICE; the card sets the highest bit when it has ended without a record
 *   3  hint         u8   which member of a Jetty group is meant
 *   4  target       u32  number of the card for connection and remote queue; 0: the connection of the queue itself
 *   8  length       u32  of the payload in bytes; 4 or 8 for atomics
 *  12  remote key   u32
 *  16  remote VA    u64
 *  24  operand      u64  of atomics; the immediate; the value of WRITE_NOTIFY
 *  32  expected     u64  of CAS; the VA that WRITE_NOTIFY stores to
 *  40  notify key   u32  of WRITE_NOTIFY
 *  44  CQ           u32  where the record goes; 0: where the queue completes
 *  48  payload           local ranges, each a {@link WqeRange}, or the inline bytes
 * </pre>
 *
 * <p>An element with {@link #BLOCKS} in place of a number of ranges is a transfer: its one range names local memory with elements of
 * one block each, READs or WRITEs of the same kind. The length of that range is their number, and its offset is 1 if the last
 * element, of inline bytes, follows all others. The opcode tells what follows the blocks: SEND_IMM or WRITE_IMM without payload, or
 * nothing. {@code expected} is the length of all blocks, for the record.
 */
public final class SendWqe {
    /** Size of a basic block. */
    public static final int BLOCK_BYTES = 64;

    /** Bit of the flags: the payload lies in the element itself. */
    public static final int INLINE = 0x80;

    /** Bit of the flags: the home has taken back the remote range, as the driver knows; it need not be asked. */
    public static final int REMOTE_GONE = 0x40;

    /** Bit of the flags: the same for the range that WRITE_NOTIFY stores to. The card sets it when the home has refused that range. */
    public static final int NOTIFY_GONE = 0x20;

    /** Bit of the opcode: it does not start before the driver says that an event of a device is done. */
    public static final int AFTER_EVENT = 0x80;

    /** Bit of the number of local ranges: some of them lie on a device. */
    public static final int ON_DEVICE = 0x40;

    /** In place of a number of ranges: the element is a transfer. */
    public static final int BLOCKS = 0x3F;

    private static final int RANGES_MASK = 0x3F;
    private static final int SILENT = 0x80; // of the byte with the ranges

    private static final int FLAGS_SHIFT = 8; // in the first word
    private static final int RANGES_SHIFT = 16;
    private static final int HINT_SHIFT = 24;

    private static final int FLAGS = 1;
    private static final int RANGES = 2;
    private static final int HINT = 3;
    private static final int TARGET = 4;
    private static final int LENGTH = 8;
    private static final int REMOTE_KEY = 12;
    private static final int REMOTE_VA = 16;
    private static final int OPERAND = 24;
    private static final int EXPECTED = 32;
    private static final int NOTIFY_KEY = 40;
    private static final int CQ = 44;
    private static final int PAYLOAD = 48;

    private SendWqe() {}

    /** Bytes from one element to the next in a ring whose elements have this many ranges or inline bytes. */
    public static int strideBytes(int maxRanges, int maxInlineBytes) {
        int bytes = PAYLOAD + Math.max(maxRanges * WqeRange.BYTES, maxInlineBytes);
        return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }

    /** Writes all of it but the payload; fields that the opcode does not need are overwritten next or not read. */
    public static void put(NativeMemory ring, long at, int opcode, int flags, int ranges, int target, int lengthBytes) {
        // comp_order is left out: records keep their order anyway
        int word = opcode | (flags & 0xFF) << FLAGS_SHIFT | ranges << RANGES_SHIFT;
        ring.setLong(at, Integer.toUnsignedLong(word) | (long) target << Integer.SIZE);
        ring.setInt(at + LENGTH, lengthBytes);
        ring.setLong(at + NOTIFY_KEY, 0); // and the CQ
    }

    public static void remote(NativeMemory ring, long at, int key, long va) {
        ring.setInt(at + REMOTE_KEY, key);
        ring.setLong(at + REMOTE_VA, va);
    }

    public static void operands(NativeMemory ring, long at, long operand, long expected) {
        ring.setLong(at + OPERAND, operand);
        ring.setLong(at + EXPECTED, expected);
    }

    public static void notify(NativeMemory ring, long at, int key, long va, long value) {
        ring.setInt(at + NOTIFY_KEY, key);
        operands(ring, at, value, va);
    }

    public static void hint(NativeMemory ring, long at, int hint) {
        ring.setByte(at + HINT, hint);
    }

    public static void cq(NativeMemory ring, long at, int cq) {
        ring.setInt(at + CQ, cq);
    }

    public static void range(NativeMemory ring, long at, int index, int key, int lengthBytes, long offset) {
        WqeRange.put(ring, rangesAt(at), index, key, lengthBytes, offset);
    }

    /** By the card: the home has refused the range that WRITE_NOTIFY stores to. */
    public static void notifyGone(NativeMemory ring, long at) {
        ring.setByte(at + FLAGS, ring.getByte(at + FLAGS) | NOTIFY_GONE);
    }

    /** By the card: it was a success, of which there is no record. */
    public static void endSilently(NativeMemory ring, long at) {
        ring.setByte(at + RANGES, ring.getByte(at + RANGES) | SILENT);
    }

    /** Whether it has ended, and there is no record of it. For a thread that has seen the record of a later one. */
    public static boolean hasEndedSilently(NativeMemory ring, long at) {
        return (ring.getByte(at + RANGES) & SILENT) != 0;
    }

    // ---- the first word: opcode, flags, number of ranges, hint

    public static int word(NativeMemory ring, long at) {
        return ring.getInt(at);
    }

    public static int opcode(int word) {
        return word & ~AFTER_EVENT & 0xFF;
    }

    public static boolean isAfterEvent(int word) {
        return (word & AFTER_EVENT) != 0;
    }

    public static int flags(int word) {
        return word >>> FLAGS_SHIFT & 0xFF;
    }

    public static int ranges(int word) {
        return word >>> RANGES_SHIFT & RANGES_MASK;
    }

    /** Whether the range that WRITE_NOTIFY stores to is known to be revoked, or was refused. */
    public static boolean isNotifyGone(int word) {
        return (flags(word) & NOTIFY_GONE) != 0;
    }

    /** Whether a local range lies on a device. */
    public static boolean isOnDevice(int word) {
        return (word & ON_DEVICE << RANGES_SHIFT) != 0;
    }

    /** Whether it is a transfer, also when it has ended. */
    public static boolean hasBlocks(int word) {
        return ranges(word) == BLOCKS;
    }

    public static int hint(int word) {
        return word >>> HINT_SHIFT;
    }

    // ---- the others

    public static int target(NativeMemory ring, long at) {
        return ring.getInt(at + TARGET);
    }

    public static int lengthBytes(NativeMemory ring, long at) {
        return ring.getInt(at + LENGTH);
    }

    public static int remoteKey(NativeMemory ring, long at) {
        return ring.getInt(at + REMOTE_KEY);
    }

    public static long remoteVa(NativeMemory ring, long at) {
        return ring.getLong(at + REMOTE_VA);
    }

    /** Operand of an atomic, immediate of a message, value of WRITE_NOTIFY. */
    public static long operand(NativeMemory ring, long at) {
        return ring.getLong(at + OPERAND);
    }

    /** What CAS expects; the VA that WRITE_NOTIFY stores to. */
    public static long expected(NativeMemory ring, long at) {
        return ring.getLong(at + EXPECTED);
    }

    public static int notifyKey(NativeMemory ring, long at) {
        return ring.getInt(at + NOTIFY_KEY);
    }

    /** 0 for the queue's own. */
    public static int cq(NativeMemory ring, long at) {
        return ring.getInt(at + CQ);
    }

    /** Where the inline payload begins, in the ring. */
    public static long inlineAt(long at) {
        return at + PAYLOAD;
    }

    /** Where the local ranges begin, in the ring. */
    public static long rangesAt(long at) {
        return at + PAYLOAD;
    }

    public static int rangeKey(NativeMemory ring, long at, int index) {
        return WqeRange.key(ring, rangesAt(at), index);
    }

    public static int rangeLengthBytes(NativeMemory ring, long at, int index) {
        return WqeRange.lengthBytes(ring, rangesAt(at), index);
    }

    public static long rangeOffset(NativeMemory ring, long at, int index) {
        return WqeRange.offset(ring, rangesAt(at), index);
    }
}
