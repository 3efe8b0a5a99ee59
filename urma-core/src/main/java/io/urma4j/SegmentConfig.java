package io.urma4j;

import io.urma4j.spi.ProviderMemory;
import io.urma4j.spi.SegmentRequest;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a registration. Created by {@link #of} and the {@code with…} methods.
 *
 * @param token the secret; ignored under {@link TokenPolicy#NONE}
 * @param tokenId the number by which peers find the segment; null for a new one, which ends with the segment
 * @param isolated the segment shares its memory with no other, so that the kernel or the device enforces its access against
 *     every importer, even a hostile one (S7.7)
 */
public record SegmentConfig(
        Access access,
        TokenPolicy policy,
        Token token,
        @Nullable TokenId tokenId,
        boolean isolated) {

    /** A configuration with that access and a random token. */
    public static SegmentConfig of(Access access) {
        return new SegmentConfig(access, TokenPolicy.PLAIN_TEXT, Token.random(), null, false);
    }

    public SegmentConfig withToken(Token secret) {
        return new SegmentConfig(access, policy, secret, tokenId, isolated);
    }

    public SegmentConfig withPolicy(TokenPolicy checked) {
        return new SegmentConfig(access, checked, token, tokenId, isolated);
    }

    public SegmentConfig withTokenId(TokenId number) {
        return new SegmentConfig(access, policy, token, number, isolated);
    }

    public SegmentConfig withIsolation() {
        return new SegmentConfig(access, policy, token, tokenId, true);
    }

    SegmentRequest request(ProviderMemory memory) {
        int number = tokenId == null ? 0 : tokenId.value();
        return new SegmentRequest(memory, null, access, policy, token, number, isolated);
    }
}
