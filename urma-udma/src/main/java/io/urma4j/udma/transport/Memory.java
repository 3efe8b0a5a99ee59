package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.KeyAccess;
import io.urma4j.udma.wire.Packet;

/**
 * The card's access to registered memory: every access names a key, which is checked for its range and its permissions. A
 * key that is unknown, stale or revoked moves no byte.
 *
 * <p>Most memory answers at once. Memory of a device answers later: its bytes are moved by copies, which the memory begins
 * when it is asked to, and which end in any order. A copy has a number, and the connection looks at its {@linkplain #state
 * state} until it has ended. The memory wakes the connection whenever one of its copies has ended, and when there is room
 * again after {@link #BUSY}; to wake it without a reason does no harm. All of this happens on the thread of the card.
 *
 * <p>Of two copies of one connection with common bytes, the one that began later takes effect later. An atomic is atomic
 * against every other copy of its memory, whichever connection began that.
 */
public interface Memory {
    // what an operation of a peer needs to be allowed
    int READ = KeyAccess.READ;
    int WRITE = KeyAccess.WRITE;
    int ATOMIC = KeyAccess.ATOMIC;

    // in place of the number of a copy, which is positive
    /** There is no copy: the memory answers at once. */
    long AT_ONCE = 0;
    /** The key does not permit it, and no byte is moved. */
    long REFUSED = -1;
    /** Too many copies are in progress: nothing was begun, and the request must wait. */
    long BUSY = -2;

    /**
     * Whether a peer has the permission.
     *
     * @param connection the number of the request's connection: a key may be bound to one peer
     */
    boolean isAllowed(int key, long va, long lengthBytes, int access, int connection);

    /** Copies a peer's bytes to their place; false if the key does not permit it (any more), and then no byte was moved. */
    boolean write(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection);

    /** Puts bytes for a peer into a packet as its payload, or has it {@linkplain Packet#refer refer} to them; false as above. */
    boolean read(int key, long va, Packet to, int lengthBytes, int connection);

    /** Stores eight bytes with release, for WRITE_NOTIFY; false as above. */
    boolean store(int key, long va, long value, int connection);

    /**
     * Executes an atomic of 4 or 8 bytes. The key has been checked before.
     *
     * @param opcode of URMA
     * @return the old value
     */
    long atomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection);

    // ---- memory that answers later

    /**
     * Begins to copy a peer's bytes to their place. The bytes may change when this returns.
     *
     * @return the number of the copy, to be {@linkplain #release released} once; {@link #AT_ONCE} if they are in their place
     *     already, {@link #REFUSED} or {@link #BUSY}
     */
    default long place(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        return write(key, va, from, fromOffset, lengthBytes, connection) ? AT_ONCE : REFUSED;
    }

    /** Whether the bytes of that key must be {@linkplain #fetch fetched}. */
    default boolean answersLater(int key) {
        return false;
    }

    /**
     * Begins to fetch bytes for a peer, of a key that {@linkplain #answersLater answers later}.
     *
     * @return the number of the copy, to be released once; {@link #REFUSED} or {@link #BUSY}
     */
    default long fetch(int key, long va, int lengthBytes, int connection) {
        return REFUSED;
    }

    /** Puts bytes of a fetch that is {@link CopyState#DONE} into a packet as its payload; false if the key was revoked. */
    default boolean load(long copy, long fromOffset, Packet to, int lengthBytes) {
        return false;
    }

    /**
     * Begins an atomic of 4 or 8 bytes. The key has been checked before.
     *
     * @return the number of the copy, to be released once; {@link #AT_ONCE} if {@link #atomic} executes it, {@link #REFUSED}
     *     or {@link #BUSY}
     */
    default long beginAtomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        return AT_ONCE;
    }

    /** The value before an atomic that is {@link CopyState#DONE}. */
    default long original(long copy) {
        return 0;
    }

    /** How a copy stands that is not released. */
    default CopyState state(long copy) {
        return CopyState.REFUSED;
    }

    /** The connection needs the copy no more. If it has not ended, it ends without a word. */
    default void release(long copy) {}

    /**
     * SEND_INVALIDATE: revokes the key, and the others that end with it, if the peer of the connection has the permission.
     *
     * @return {@link #REFUSED} if it has not; {@link #AT_ONCE} if no byte moves by these keys any more; else a number for {@link
     *     #state}, which is RUNNING until then. It need not be released
     */
    long invalidate(int key, int connection);
}
