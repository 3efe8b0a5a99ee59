package io.urma4j.udma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What a key opens.
 *
 * @param memory the bytes
 * @param vaBase what peers, and the local ranges of work requests, call its first byte; 0 for keys of one's own
 * @param access bits of {@link io.urma4j.udma.transport.Memory}: what peers may do; 0 for nobody
 * @param peer number of the only context that may use it ({@link PeerInfo#number}); 0 for every peer
 * @param owner whose it is: what {@link CardListener#invalidated} names, and what is revoked together; 0 for keys that
 *     nobody can invalidate
 * @param recordId what the record of a SEND_INVALIDATE names: the token id
 * @param onNotify runs after each value that a WRITE_NOTIFY has stored by it, on the thread that drives the card; returns
 *     at once
 */
public record KeyConfig(
        MemorySegment memory,
        long vaBase,
        int access,
        int peer,
        long owner,
        int recordId,
        @Nullable Runnable onNotify) {
    /** One that needs to know of no value. */
    public KeyConfig(MemorySegment memory, long vaBase, int access, int peer, long owner, int recordId) {
        this(memory, vaBase, access, peer, owner, recordId, null);
    }

    /** For this machine's own work requests alone. */
    public static KeyConfig local(MemorySegment memory) {
        return new KeyConfig(memory, 0, 0, 0, 0, 0);
    }
}
