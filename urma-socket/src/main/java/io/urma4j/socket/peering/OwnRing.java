package io.urma4j.socket.peering;

import io.urma4j.socket.ring.RingConnection;
import io.urma4j.socket.ring.RingReader;
import java.nio.channels.SocketChannel;

/** A ring that this process reads, for one connection. */
abstract class OwnRing {
    private final int slot;
    private final RingReader reader;

    OwnRing(int slot, RingReader reader) {
        this.slot = slot;
        this.reader = reader;
    }

    /** Its number in the arena. */
    final int slot() {
        return slot;
    }

    final RingReader reader() {
        return reader;
    }

    /** Whether the other process may still store to it. */
    abstract boolean isInUse();

    /**
     * The connection of it, and of the ring that the other process reads.
     *
     * @param theirSlot of the other process's ring
     * @param theirProof what the other process sends first over TCP
     */
    abstract RingConnection connect(SocketChannel tcp, int theirSlot, long theirProof);

    @Override
    public String toString() {
        return "ring " + slot;
    }
}
