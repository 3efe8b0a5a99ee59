package io.urma4j.udma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory and the permissions of a key.
 *
 * @param memory the bytes
 * @param vaBase address of the first byte for peers, and in local ranges of work requests; 0 for local keys
 * @param access bits of {@link io.urma4j.udma.transport.Memory}: what peers may do; 0 for nothing
 * @param peer number of the only context that may use it ({@link PeerInfo#number}); 0 for every peer
 * @param owner named by {@link CardListener#invalidated}, and shared by keys that are revoked together; 0 for keys that
 *     cannot be invalidated
 * @param recordId in the record of a SEND_INVALIDATE: the token id
 * @param onNotify runs after each value that a WRITE_NOTIFY has stored by this key, on the thread that drives the card;
 *     returns at once
 */
public record KeyConfig(
        MemorySegment memory,
        long vaBase,
        int access,
        int peer,
        long owner,
        int recordId,
        @Nullable Runnable onNotify) {
    /** Without a callback. */
    public KeyConfig(MemorySegment memory, long vaBase, int access, int peer, long owner, int recordId) {
        this(memory, vaBase, access, peer, owner, recordId, null);
    }

    /** Only for this machine's own work requests. */
    public static KeyConfig local(MemorySegment memory) {
        return new KeyConfig(memory, 0, 0, 0, 0, 0);
    }
}
