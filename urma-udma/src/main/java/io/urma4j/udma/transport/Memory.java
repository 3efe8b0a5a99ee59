package io.urma4j.udma.transport;

import io.urma4j.udma.ring.KeyAccess;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;

/**
 * The card's access to registered memory: every access names a key, which is checked for its range and its permissions. A
 * key that is unknown, stale or revoked moves no byte.
 */
public interface Memory {
    // what an operation of a peer needs to be allowed
    int READ = KeyAccess.READ;
    int WRITE = KeyAccess.WRITE;
    int ATOMIC = KeyAccess.ATOMIC;

    /**
     * Whether a peer has the permission.
     *
     * @param connection the number of the request's connection: a key may be bound to one peer
     */
    boolean isAllowed(int key, long va, long lengthBytes, int access, int connection);

    /** Copies a peer's bytes to their place; false if the key does not permit it (any more), and then no byte was moved. */
    boolean write(int key, long va, MemorySegment from, long fromOffset, int lengthBytes, int connection);

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

    /** SEND_INVALIDATE: revokes the key, if the peer of the connection has the permission; false if not. */
    boolean invalidate(int key, int connection);
}
