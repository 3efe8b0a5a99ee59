package io.urma4j.shm.ring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A message ring: one direction of a message path, in a memfd of its own, native byte order, zero at birth.
 *
 * <pre>
 *       0  reserved
 *     128  asleep   u32  the receiver sets it before it sleeps; the sender clears it and wakes the receiver
 *     256  results  u64 × SLOTS; only the receiver writes them
 *            bits  0…31  lap: says that the result is there
 *            bits 32…39  answer
 *            bits 40…63  argument of the answer
 *    8448  slots    128 bytes × SLOTS; only the sender writes them
 *              0  commit    u64  bits 0…31 lap: says that the slot is filled; 32…39 opcode; 40…47 flags;
 *                                48…63 bytes of payload, when SHORT is among the flags
 *              8  queues    u64  bits 0…23 id of the JFR, Jetty or group that the message is for; 24…31 hint, which
 *                                member of the group; 32…63 id of the sending queue
 *             16  payload   80 bytes
 *            what follows means something only when SHORT is not among the flags
 *             96  immediate u64
 *            104  total     u64  bytes of the whole message
 *            112  data      u64  where the payload lies in the data area, when it is not in the slot
 *            120  chunk     u32  bytes of payload with this slot
 *            124  reserved
 *  143360  data     1 MiB; only the sender writes it
 * </pre>
 *
 * <p>A slot's lap is the number of times the ring has gone round, plus one. Sender and receiver each keep their position
 * to themselves: nothing in the ring says where they are, and nothing that one side corrupts moves the other.
 *
 * <p><b>Memory order.</b> The sender fills a slot and its data, then stores the commit word with release; the receiver
 * loads it with acquire and so sees all of it. The receiver is done with slot and data when it stores the result with
 * release; the sender loads it with acquire, and only then uses the slot again, a lap later. The asleep flag is Dekker's:
 * the receiver stores it, fences, and looks at the next commit word; the sender stores a commit word, fences, and looks at
 * the flag.
 */
public final class RingLayout {
    /** Slots of a ring; a power of two. */
    public static final int SLOTS = 1024;

    private static final int SLOTS_SHIFT = 10;

    /** Most payload that lies in a slot itself. */
    public static final int SLOT_PAYLOAD_BYTES = 80;

    /** Size of the data area; a power of two. */
    public static final int DATA_BYTES = 1 << 20;

    /** Most payload of a slot: a longer message is a train of chunks, so that both sides copy at the same time. */
    public static final int CHUNK_BYTES = 1 << 17;

    /** Longest message, also of a WRITE_IMM whose payload goes another way. */
    public static final long MAX_MESSAGE_BYTES = Integer.MAX_VALUE;

    private static final long ASLEEP = 128; // two lines on: CPUs prefetch lines in pairs
    private static final long RESULTS = 256;
    private static final long FIRST_SLOT = RESULTS + 8L * SLOTS;
    private static final int SLOT_SHIFT = 7;
    private static final long DATA = 143_360; // page-aligned, behind the last slot

    /** Size of the whole ring. */
    public static final long BYTES = DATA + DATA_BYTES;

    private static final int HINT_SHIFT = 24;
    private static final int ID_MASK = (1 << HINT_SHIFT) - 1;

    private static final long QUEUES = 8;
    private static final long PAYLOAD = 16;
    private static final long IMMEDIATE = 96;
    private static final long TOTAL = 104;
    private static final long DATA_AT = 112;
    private static final long CHUNK = 120;

    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final VarHandle U32 = JAVA_INT.varHandle();

    private RingLayout() {}

    /** The lap that a slot at this position belongs to. */
    static int lap(long position) {
        return (int) (position >>> SLOTS_SHIFT) + 1;
    }

    private static long slot(long position) {
        return FIRST_SLOT + ((position & (SLOTS - 1)) << SLOT_SHIFT);
    }

    private static long result(long position) {
        return RESULTS + ((position & (SLOTS - 1)) << 3);
    }

    /** The target half of the word of queues: an id, and the 8-bit hint for the member of a group. */
    public static int address(int id, int hint) {
        return id | hint << HINT_SHIFT;
    }

    static int targetOf(long queues) {
        return (int) queues & ID_MASK;
    }

    static int hintOf(long queues) {
        return (int) queues >>> HINT_SHIFT;
    }

    static int sourceOf(long queues) {
        return (int) (queues >>> 32);
    }

    /** Where the payload inside a slot starts, in the ring. */
    static long slotPayload(long position) {
        return slot(position) + PAYLOAD;
    }

    /** Where byte {@code offset} of the data area lies, in the ring. */
    static long data(long offset) {
        return DATA + offset;
    }

    /** All that a short slot says beside its payload and its commit word. */
    static void fillShort(MemorySegment ring, long position, int source, int target) {
        ring.set(JAVA_LONG, slot(position) + QUEUES, (long) source << 32 | target & 0xFFFF_FFFFL);
    }

    static void fill(
            MemorySegment ring,
            long position,
            int source,
            int target,
            int chunkBytes,
            long immediate,
            long totalBytes,
            long dataOffset) {
        long slot = slot(position);
        fillShort(ring, position, source, target);
        ring.set(JAVA_LONG, slot + IMMEDIATE, immediate);
        ring.set(JAVA_LONG, slot + TOTAL, totalBytes);
        ring.set(JAVA_LONG, slot + DATA_AT, dataOffset);
        ring.set(JAVA_INT, slot + CHUNK, chunkBytes);
    }

    /** Hands the slot to the receiver, with all that was written before. */
    static void commit(MemorySegment ring, long position, int opcode, int flags) {
        commitShort(ring, position, opcode, flags, 0);
    }

    /** The same for a short slot with that many bytes of payload. */
    static void commitShort(MemorySegment ring, long position, int opcode, int flags, int payloadBytes) {
        int content = opcode | flags << 8 | payloadBytes << 16;
        U64.setRelease(ring, slot(position), lap(position) & 0xFFFF_FFFFL | (long) content << 32);
    }

    /** The slot's commit word; when its lap is right, the slot's content is visible. */
    static long committed(MemorySegment ring, long position) {
        return (long) U64.getAcquire(ring, slot(position));
    }

    /** A word of the slot's second cache line; it means nothing. */
    static long secondHalf(MemorySegment ring, long position) {
        return ring.get(JAVA_LONG, slot(position) + 64);
    }

    static boolean isOfLap(long word, long position) {
        return (int) word == lap(position);
    }

    static int opcode(long commitWord) {
        return (int) (commitWord >>> 32) & 0xFF;
    }

    static int flags(long commitWord) {
        return (int) (commitWord >>> 40) & 0xFF;
    }

    /** Bytes of payload in a short slot. */
    static int payloadBytes(long commitWord) {
        return (int) (commitWord >>> 48);
    }

    static long queues(MemorySegment ring, long position) {
        return ring.get(JAVA_LONG, slot(position) + QUEUES);
    }

    static int chunkBytes(MemorySegment ring, long position) {
        return ring.get(JAVA_INT, slot(position) + CHUNK);
    }

    static long immediate(MemorySegment ring, long position) {
        return ring.get(JAVA_LONG, slot(position) + IMMEDIATE);
    }

    static long totalBytes(MemorySegment ring, long position) {
        return ring.get(JAVA_LONG, slot(position) + TOTAL);
    }

    static long dataOffset(MemorySegment ring, long position) {
        return ring.get(JAVA_LONG, slot(position) + DATA_AT);
    }

    /** Gives slot and data back to the sender, with the answer. */
    static void answer(MemorySegment ring, long position, int answer, int argument) {
        long word = (lap(position) & 0xFFFF_FFFFL) | (long) answer << 32 | (long) argument << 40;
        U64.setRelease(ring, result(position), word);
    }

    /** The slot's result word; it is an answer when its lap is right. */
    static long answered(MemorySegment ring, long position) {
        return (long) U64.getAcquire(ring, result(position));
    }

    public static int answerOf(long resultWord) {
        return (int) (resultWord >>> 32) & 0xFF;
    }

    public static int argumentOf(long resultWord) {
        return (int) (resultWord >>> 40);
    }

    /** The receiver is about to sleep; it must fence and look again before it does. */
    static void setAsleep(MemorySegment ring) {
        U32.setVolatile(ring, ASLEEP, 1);
    }

    /** Whether the receiver slept; on true the caller must wake it. The caller has fenced after its last store. */
    static boolean takeAsleep(MemorySegment ring) {
        return (int) U32.getOpaque(ring, ASLEEP) != 0 && U32.compareAndSet(ring, ASLEEP, 1, 0);
    }
}
