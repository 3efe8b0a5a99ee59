package io.urma4j.udma.ring;

import io.urma4j.libc.NativeMemory;

/**
 * Layout of a completion queue element: one basic block. The card writes it, its first word last; the owner bit in there
 * changes with each round of the ring, so that the driver knows a new element from an old one without asking the card.
 *
 * <pre>
 *   0  word         u32  0 owner, 1…7 zero, 8…15 status, 16…23 opcode of URMA, 24…31 flags
 *   4  queue        u32  number of the local queue
 *   8  position     u64  of the work queue element in its queue, counted from the queue's creation; what the element
 *                        of a receive queue has as its cookie
 *  16  length       u64  in bytes
 *  24  immediate    u64  or the token id that was revoked
 *  32  remote       u64  0…23 queue, 24…47 UASID, 48…63 number of the transport path
 *  40  remote EID   16   two u64, the high half first
 *  56  owner        u32  what the driver gave as the queue's tag
 *  60  zero         u32
 * </pre>
 *
 * <p>Words 32 to 55 are filled for what was received only.
 */
public final class Cqe {
    public static final int BYTES = SendWqe.BLOCK_BYTES;

    // flags
    /** A message arrived; else a work request of the send side ended. */
    public static final int RECEIVE = 1;

    public static final int HAS_IMMEDIATE = 2;
    /** The immediate is a token id that the message revoked. */
    public static final int HAS_INVALIDATED = 4;
    /** The last one of an error drain, or its marker. */
    public static final int FLUSH_ERR_DONE = 8;
    /** The last one of a suspension, or its marker. */
    public static final int SUSPEND_DONE = 16;
    /** The sender asked for an event. */
    public static final int SOLICITED = 32;

    /** Where the UASID begins in the word that tells of the sender. */
    public static final int UASID_SHIFT = 24;

    /** Where the number of the transport path begins in it. */
    public static final int PATH_SHIFT = 48;

    private static final int QUEUE = 4;
    private static final int POSITION = 8;
    private static final int LENGTH = 16;
    private static final int IMMEDIATE = 24;
    private static final int REMOTE = 32;
    private static final int REMOTE_EID = 40;
    private static final int TAG = 56;

    private Cqe() {}

    /** The first word without its owner bit. */
    public static int word(int status, int opcode, int flags) {
        return status << 8 | opcode << 16 | flags << 24;
    }

    public static void put(
            NativeMemory ring, long at, int queue, int tag, long position, long lengthBytes, long immediate) {
        ring.setInt(at + QUEUE, queue);
        ring.setInt(at + TAG, tag);
        ring.setLong(at + POSITION, position);
        ring.setLong(at + LENGTH, lengthBytes);
        ring.setLong(at + IMMEDIATE, immediate);
    }

    public static void remote(NativeMemory ring, long at, long remote, long eidHigh, long eidLow) {
        ring.setLong(at + REMOTE, remote);
        ring.setLong(at + REMOTE_EID, eidHigh);
        ring.setLong(at + REMOTE_EID + 8, eidLow);
    }

    /** Makes it visible: the last thing to be written. */
    public static void publish(NativeMemory ring, long at, int word, int owner) {
        ring.setIntRelease(at, word | owner);
    }

    /** Moves an element to another place, with the owner bit of that; while no thread polls, and the card writes none. */
    public static void move(NativeMemory ring, long from, long to, int owner) {
        for (int i = Long.BYTES; i < BYTES; i += Long.BYTES) {
            ring.setLong(to + i, ring.getLong(from + i));
        }
        ring.setInt(to + QUEUE, ring.getInt(from + QUEUE));
        publish(ring, to, ring.getInt(from) & ~1, owner);
    }

    /** Empties a place: its element has not been written in the round with that owner bit. */
    public static void clear(NativeMemory ring, long at, int owner) {
        publish(ring, at, 0, 1 - owner);
    }

    /** The first word; to be read before everything else. */
    public static int word(NativeMemory ring, long at) {
        return ring.getIntAcquire(at);
    }

    public static int owner(int word) {
        return word & 1;
    }

    public static int status(int word) {
        return word >>> 8 & 0xFF;
    }

    public static int opcode(int word) {
        return word >>> 16 & 0xFF;
    }

    public static int flags(int word) {
        return word >>> 24;
    }

    public static int tag(NativeMemory ring, long at) {
        return ring.getInt(at + TAG);
    }

    public static long position(NativeMemory ring, long at) {
        return ring.getLong(at + POSITION);
    }

    public static long lengthBytes(NativeMemory ring, long at) {
        return ring.getLong(at + LENGTH);
    }

    public static long immediate(NativeMemory ring, long at) {
        return ring.getLong(at + IMMEDIATE);
    }

    public static long remote(NativeMemory ring, long at) {
        return ring.getLong(at + REMOTE);
    }

    public static long remoteEidHigh(NativeMemory ring, long at) {
        return ring.getLong(at + REMOTE_EID);
    }

    public static long remoteEidLow(NativeMemory ring, long at) {
        return ring.getLong(at + REMOTE_EID + 8);
    }
}
