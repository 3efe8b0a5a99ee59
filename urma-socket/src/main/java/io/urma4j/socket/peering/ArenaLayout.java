package io.urma4j.socket.peering;

import io.urma4j.socket.ring.ReadyWords;
import io.urma4j.socket.ring.RingLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Where things lie in the memory that one process shares with one other. The process that owns it reads from its rings and
 * makes the offers in it; the other writes to the rings and takes the offers.
 *
 * <pre>
 *      0  magic, version, count of rings, bytes of a ring: four ints, which the owner stores
 *   4096  offers: {@link OfferTable}
 *  space  ready words of the owner's selectors: {@link ReadyWords}
 *  space  rings, each from a page on
 * </pre>
 */
final class ArenaLayout {
    /** The version of all that two processes tell each other. */
    static final int VERSION = 2;

    private static final int MAGIC = 0x5553_4b41; // USKA
    private static final int PAGE = 4096;
    private static final long OFFERS = PAGE;
    private static final long READY = OFFERS + OfferTable.LENGTH_BYTES;
    private static final long RINGS = READY + ReadyWords.LENGTH_BYTES;

    private final int rings;
    private final int ringBytes;

    private ArenaLayout(int rings, int ringBytes) {
        this.rings = rings;
        this.ringBytes = ringBytes;
    }

    /** With as many rings as this much memory has room for, up to a limit, and at least one. */
    static ArenaLayout within(long memoryBytes, int ringBytes) {
        long rings = memoryBytes / slotBytes(ringBytes);
        return new ArenaLayout(Math.clamp(rings, 1, ReadyWords.MAX_RINGS), ringBytes);
    }

    /**
     * What the owner of the memory says, if it can be true.
     *
     * @throws IllegalArgumentException else
     */
    static ArenaLayout of(MemorySegment memory) {
        if (memory.byteSize() < RINGS || word(memory, 0) != MAGIC) {
            throw new IllegalArgumentException("no memory for sockets");
        }
        if (word(memory, 1) != VERSION) {
            throw new IllegalArgumentException(
                    "memory for sockets has version " + word(memory, 1) + ", this process has " + VERSION);
        }
        ArenaLayout layout = new ArenaLayout(word(memory, 2), word(memory, 3));
        if (layout.rings < 1
                || layout.rings > ReadyWords.MAX_RINGS
                || layout.ringBytes < 1
                || layout.ringBytes > 1 << 30
                || Integer.bitCount(layout.ringBytes) != 1
                || layout.lengthBytes() != memory.byteSize()) {
            throw new IllegalArgumentException("memory of " + memory.byteSize() + " bytes cannot hold " + layout);
        }
        return layout;
    }

    private static int word(MemorySegment memory, int index) {
        return memory.getAtIndex(ValueLayout.JAVA_INT, index);
    }

    void writeTo(MemorySegment memory) {
        int[] words = {MAGIC, VERSION, rings, ringBytes};
        MemorySegment.copy(words, 0, memory, ValueLayout.JAVA_INT, 0, words.length);
    }

    int rings() {
        return rings;
    }

    long slotBytes() {
        return slotBytes(ringBytes);
    }

    private static long slotBytes(int ringBytes) {
        return (RingLayout.lengthBytes(ringBytes) + PAGE - 1) / PAGE * PAGE;
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

    /** The ring of a number, which was checked. */
    MemorySegment ring(MemorySegment memory, int slot) {
        return memory.asSlice(RINGS + slot * slotBytes(), RingLayout.lengthBytes(ringBytes));
    }

    boolean hasRing(int slot) {
        return slot >= 0 && slot < rings;
    }

    @Override
    public String toString() {
        return rings + " rings of " + ringBytes + " bytes";
    }
}
