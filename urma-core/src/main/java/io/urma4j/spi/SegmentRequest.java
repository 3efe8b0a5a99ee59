package io.urma4j.spi;

import io.urma4j.Access;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.peer.PeerRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory to register: allocated by the provider, foreign, or of a device. One of the three is given.
 *
 * @param memory of this provider or another one (S7.15), or null
 * @param foreign native memory of the user; {@link Access#LOCAL_ONLY} unless the device can share it; or null
 * @param region pinned device memory, whose bytes move by its copy engine alone; or null. The caller activates and closes it
 * @param tokenId of {@link ProviderContext#allocateTokenId}, or 0 for a new one
 * @param isolated refuse unless the access is enforced against every importer, even a hostile one (S7.7)
 * @param windowsOnly an import opens nothing but windows (S14.31)
 */
public record SegmentRequest(
        @Nullable ProviderMemory memory,
        @Nullable MemorySegment foreign,
        @Nullable PeerRegion region,
        Access access,
        TokenPolicy policy,
        Token token,
        int tokenId,
        boolean isolated,
        boolean windowsOnly) {

    /** A request with a new token id, and without isolation. */
    public SegmentRequest(
            @Nullable ProviderMemory memory,
            @Nullable MemorySegment foreign,
            Access access,
            TokenPolicy policy,
            Token token) {
        this(memory, foreign, null, access, policy, token, 0, false, false);
    }
}
