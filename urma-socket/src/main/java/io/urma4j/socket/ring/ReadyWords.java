package io.urma4j.socket.ring;

import static io.urma4j.socket.ring.RingLayout.INT;
import static io.urma4j.socket.ring.RingLayout.LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.BitSet;

/**
 * Words in the memory of one process, by which another tells its selectors which connections have something new. Each selector
 * that has connections with that peer has a set of them. A connection's bit is the number of the ring in this memory.
 *
 * <pre>
 *    0  asleep     the selector sleeps, or is going to     the owner of the memory stores
 *    8  groups     a bit for each word of bits, 4 longs    the peer sets, the owner clears
 *  128  bits       a bit for each ring, 256 longs          the peer sets, the owner clears
 * </pre>
 *
 * <p>A peer that marks a connection while the selector sleeps rings that connection's own doorbell. So no connection
 * depends on the doorbell of another one, whose thread may be stopped before it rings.
 */
public final class ReadyWords {
    /** The number of no set: the end is woken over TCP. */
    static final int NONE = -1;

    /** Rings that a set has bits for. */
    public static final int MAX_RINGS = 1 << 14;

    private static final int SETS = 64;
    private static final int GROUPS = MAX_RINGS >>> 6 >>> 6;
    private static final long ASLEEP = 0;
    private static final long GROUP = 8;
    private static final long BITS = 128;
    private static final long SET_BYTES = BITS + MAX_RINGS / 8;

    /** The memory of the sets of all selectors. */
    public static final long LENGTH_BYTES = SETS * SET_BYTES;

    /** What a process does with each ring that its peer has marked. */
    interface Action {
        void accept(int ring);
    }

    private final MemorySegment words;
    private final BitSet used = new BitSet(SETS); // by selectors of this process; guarded by this

    /** These words of this process or of its peer. */
    public ReadyWords(MemorySegment words) {
        this.words = words;
    }

    /** A set for one selector, which stores first; or {@link #NONE}. For the owner, as all that follow but {@link #mark}. */
    synchronized int take() {
        int set = used.nextClearBit(0);
        if (set >= SETS) {
            return NONE;
        }
        used.set(set);
        return set;
    }

    synchronized void giveBack(int set) {
        used.clear(set);
    }

    /** Whether a peer has to ring from now on. A caller that sleeps then fences, and looks once more before. */
    void store(int set, boolean asleep) {
        INT.setOpaque(words, at(set) + ASLEEP, asleep ? 1 : 0);
    }

    /** Whether a ring may be marked. */
    boolean hasMarks(int set) {
        for (int group = 0; group < GROUPS; group++) {
            if ((long) LONG.getOpaque(words, groupsAt(set, group)) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Clears all marks; {@code action} gets the rings that had one. */
    void clear(int set, Action action) {
        for (int group = 0; group < GROUPS; group++) {
            if ((long) LONG.getOpaque(words, groupsAt(set, group)) != 0) {
                long marked = (long) LONG.getAndSet(words, groupsAt(set, group), 0L);
                for (; marked != 0; marked &= marked - 1) {
                    clearWord(set, group << 6 | Long.numberOfTrailingZeros(marked), action);
                }
            }
        }
    }

    private void clearWord(int set, int word, Action action) {
        long marked = (long) LONG.getAndSet(words, bitsAt(set, word), 0L);
        for (; marked != 0; marked &= marked - 1) {
            action.accept(word << 6 | Long.numberOfTrailingZeros(marked));
        }
    }

    /**
     * Marks a ring of the owner. For its peer, which has changed the ring before.
     *
     * @param set as the owner says, which may be anything
     * @return whether the peer also has to ring, since the selector sleeps or there is none
     */
    boolean mark(int set, int ring) {
        if (set < 0 || set >= SETS) {
            return true;
        }
        var _ = (long) LONG.getAndBitwiseOr(words, bitsAt(set, ring >>> 6), 1L << ring);
        var _ = (long) LONG.getAndBitwiseOr(words, groupsAt(set, ring >>> 12), 1L << (ring >>> 6));
        VarHandle.fullFence(); // the selector stores that it sleeps, and then looks for marks once more
        return (int) INT.getOpaque(words, at(set) + ASLEEP) != 0;
    }

    private static long at(int set) {
        return set * SET_BYTES;
    }

    private static long groupsAt(int set, int group) {
        return at(set) + GROUP + group * (long) Long.BYTES;
    }

    private static long bitsAt(int set, int word) {
        return at(set) + BITS + word * (long) Long.BYTES;
    }

    @Override
    public synchronized String toString() {
        return "ready words of " + used.cardinality() + " selectors";
    }
}
