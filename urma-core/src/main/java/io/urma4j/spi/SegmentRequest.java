package io.urma4j.spi;

import io.urma4j.Access;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What to register: a region of memory that the provider allocated, or foreign memory.
 *
 * @param memory the provider's own memory, or null when {@code foreign} is given
 * @param foreign native memory of the user's; {@link Access#LOCAL_ONLY} unless the device can share it
 * @param tokenId of {@link ProviderContext#allocateTokenId}, or 0 for one of its own
 * @param isolated refuse unless the access is enforced against whoever imports it (S7.7)
 */
public record SegmentRequest(
        @Nullable ProviderMemory memory,
        @Nullable MemorySegment foreign,
        Access access,
        TokenPolicy policy,
        Token token,
        int tokenId,
        boolean isolated) {

    /** With a token id of its own, and shared as the device does it. */
    public SegmentRequest(
            @Nullable ProviderMemory memory,
            @Nullable MemorySegment foreign,
            Access access,
            TokenPolicy policy,
            Token token) {
        this(memory, foreign, access, policy, token, 0, false);
    }
}
