package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Ieth;
import io.urma4j.udma.wire.Packet;

/** The SEND_INVALIDATEs of a connection: each revokes once, also if its packet must be received again. */
final class Invalidation {
    private static final long NONE = -1;

    private final ConnectionConfig config;
    private final Memory memory;
    private long revokedPsn = NONE; // of the last one
    private long awaited; // what it waits for: a number of the memory

    Invalidation(ConnectionConfig config, Memory memory) {
        this.config = config;
        this.memory = memory;
    }

    /**
     * Revokes what the packet names.
     *
     * @return {@link Memory#REFUSED} if the peer or the receiver must not; {@link Memory#AT_ONCE} if no byte moves by a revoked key
     *     any more; else a number of the memory for the copies in progress: the caller calls again when they have ended
     */
    long revoke(Packet packet, long psn, ReceiveWork receive) {
        if (revokedPsn != psn) {
            int key = Ieth.remoteKey(packet.bytes(), packet.at(Header.IETH));
            long begun = receive.allowsInvalidate() ? memory.invalidate(key, config.number()) : Memory.REFUSED;
            if (begun == Memory.REFUSED) {
                return Memory.REFUSED;
            }
            revokedPsn = psn;
            awaited = begun;
        }
        boolean isQuiet = awaited == Memory.AT_ONCE || memory.state(awaited) != CopyState.RUNNING;
        return isQuiet ? Memory.AT_ONCE : awaited;
    }
}
