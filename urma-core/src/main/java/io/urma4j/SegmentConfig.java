package io.urma4j;

import org.jspecify.annotations.Nullable;

/**
 * How memory is to be registered. Made from {@link #of} by its {@code with…} methods.
 *
 * @param token the secret; means nothing under {@link TokenPolicy#NONE}
 * @param tokenId the number under which peers find it; null for one of its own, which ends with the segment
 * @param isolated nobody else shares its memory, so that the kernel, or the device, enforces its access against every
 *     importer, and not only against those that keep the rules (S7.7)
 */
public record SegmentConfig(
        Access access,
        TokenPolicy policy,
        Token token,
        @Nullable TokenId tokenId,
        boolean isolated) {

    /** That access for who has a random token. */
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
}
