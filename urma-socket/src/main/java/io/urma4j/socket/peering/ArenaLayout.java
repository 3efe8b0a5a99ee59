package io.urma4j.socket.peering;

import io.urma4j.Access;
import io.urma4j.socket.ring.ReadyWords;
import io.urma4j.socket.ring.RingLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Where things lie in the memory that one process shares with one other. The process that owns it reads from its rings and
 * makes the offers in it; the other writes to the rings and takes the offers.
 *
 * <pre>
 *      0  magic, version, count of rings, bytes of a ring, parts: five ints, which the owner stores
 *   4096  offers: {@link OfferTable}
 *  space  ready words of the owner's selectors: {@link ReadyWords}; over a network {@link Notices}
 *  space  rings, each from a page on
 * </pre>
 *
 * <p>Over a network a ring has two parts. The second is the owner's copy of the ring that it writes for the same connection: the
 * owner's device sends out of it, and the reader's words come into it.
 */
final class ArenaLayout {
    /** The version of all that two processes tell each other. */
    static final int VERSION = 3;

    private static final int MAGIC = 0x5553_4b41; // USKA
    private static final int PAGE = 4096;
    private static final long OFFERS = PAGE;
    private static final long READY = OFFERS + OfferTable.LENGTH_BYTES;
    private static final long RINGS = READY + ReadyWords.LENGTH_BYTES;

    /** Bytes of the words at the beginning. */
    static final int HEAD_BYTES = 5 * Integer.BYTES;

    /** Each ring alone, for processes that share memory. */
    static final int ALONE = 1;

    /** Each ring with a copy of the one that its owner writes. */
    static final int WITH_COPIES = 2;

    private final int rings;
    private final int ringBytes;
    private final int parts;

    private ArenaLayout(int rings, int ringBytes, int parts) {
        this.rings = rings;
        this.ringBytes = ringBytes;
        this.parts = parts;
    }

    /** With as many rings as this much memory has room for, up to a limit, and at least one. */
    static ArenaLayout within(long memoryBytes, int ringBytes, int parts) {
        long rings = memoryBytes / (parts * partBytes(ringBytes));
        return new ArenaLayout(Math.clamp(rings, 1, ReadyWords.MAX_RINGS), ringBytes, parts);
    }

    /**
     * What the owner of the memory says, if it can be true.
     *
     * @param memory its beginning
     * @param parts those that each ring has to have
     * @throws IllegalArgumentException else
     */
    static ArenaLayout of(MemorySegment memory, long lengthBytes, int parts) {
        if (lengthBytes < RINGS || word(memory, 0) != MAGIC) {
            throw new IllegalArgumentException("no memory for sockets");
        }
        if (word(memory, 1) != VERSION) {
            throw new IllegalArgumentException(
                    "memory for sockets has version " + word(memory, 1) + ", this process has " + VERSION);
        }
        ArenaLayout layout = new ArenaLayout(word(memory, 2), word(memory, 3), word(memory, 4));
        if (layout.rings < 1
                || layout.rings > ReadyWords.MAX_RINGS
                || layout.ringBytes < 1
                || layout.ringBytes > 1 << 30
                || Integer.bitCount(layout.ringBytes) != 1
                || layout.parts != parts
                || layout.lengthBytes() != lengthBytes) {
            throw new IllegalArgumentException("memory of " + lengthBytes + " bytes cannot hold " + layout);
        }
        return layout;
    }

    private static int word(MemorySegment memory, int index) {
        return memory.getAtIndex(ValueLayout.JAVA_INT, index);
    }

    void writeTo(MemorySegment memory) {
        int[] words = {MAGIC, VERSION, rings, ringBytes, parts};
        MemorySegment.copy(words, 0, memory, ValueLayout.JAVA_INT, 0, words.length);
    }

    int rings() {
        return rings;
    }

    int ringBytes() {
        return ringBytes;
    }

    /** What one connection takes. */
    long slotBytes() {
        return parts * partBytes(ringBytes);
    }

    private static long partBytes(int ringBytes) {
        return (RingLayout.lengthBytes(ringBytes) + PAGE - 1) / PAGE * PAGE;
    }

    /** What the other process needs: over a network it takes offers by an atomic of its device. */
    Access access() {
        return parts == ALONE ? Access.READ_WRITE : Access.READ_WRITE_ATOMIC;
    }

    long lengthBytes() {
        return RINGS + rings * slotBytes();
    }

    static OfferTable offers(MemorySegment memory) {
        return new OfferTable(memory.asSlice(OFFERS, OfferTable.LENGTH_BYTES));
    }

    static ReadyWords readyWords(MemorySegment memory) {
        return new ReadyWords(memory.asSlice(READY, ReadyWords.LENGTH_BYTES));
    }

    static Notices notices(MemorySegment memory) {
        return new Notices(memory.asSlice(READY, Notices.LENGTH_BYTES));
    }

    /** Where the offers lie. */
    static long offersAt() {
        return OFFERS;
    }

    /** Where the notices lie. */
    static long noticesAt() {
        return READY;
    }

    /** The ring of a number, which was checked. */
    MemorySegment ring(MemorySegment memory, int slot) {
        return memory.asSlice(ringAt(slot), RingLayout.lengthBytes(ringBytes));
    }

    /** Where it lies. */
    long ringAt(int slot) {
        return RINGS + slot * slotBytes();
    }

    /** The owner's copy of the ring that it writes for the connection of this number. */
    MemorySegment copy(MemorySegment memory, int slot) {
        return memory.asSlice(copyAt(slot), RingLayout.lengthBytes(ringBytes));
    }

    /** Where that lies. */
    long copyAt(int slot) {
        return ringAt(slot) + partBytes(ringBytes);
    }

    boolean hasRing(int slot) {
        return slot >= 0 && slot < rings;
    }

    @Override
    public String toString() {
        return rings + " rings of " + ringBytes + " bytes, in " + parts + " parts each";
    }
}
