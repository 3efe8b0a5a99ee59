package io.urma4j;

import io.urma4j.peer.PeerRegion;
import io.urma4j.spi.ProviderMemory;
import io.urma4j.spi.SegmentRequest;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a registration. Created by {@link #of} and the {@code with…} methods.
 *
 * @param token the secret; ignored under {@link TokenPolicy#NONE}
 * @param tokenId the number by which peers find the segment; null for a new one, which ends with the segment
 * @param isolated the segment shares its memory with no other, so that the kernel or the device enforces its access against
 *     every importer, even a hostile one (S7.7)
 * @param windowsOnly an import of the segment opens nothing by itself; it opens the windows that are granted to its importer
 *     (S14.31)
 */
public record SegmentConfig(
        Access access,
        TokenPolicy policy,
        Token token,
        @Nullable TokenId tokenId,
        boolean isolated,
        boolean windowsOnly) {

    /** A configuration with that access and a random token. */
    public static SegmentConfig of(Access access) {
        return new SegmentConfig(access, TokenPolicy.PLAIN_TEXT, Token.random(), null, false, false);
    }

    public SegmentConfig withToken(Token secret) {
        return new SegmentConfig(access, policy, secret, tokenId, isolated, windowsOnly);
    }

    public SegmentConfig withPolicy(TokenPolicy checked) {
        return new SegmentConfig(access, checked, token, tokenId, isolated, windowsOnly);
    }

    public SegmentConfig withTokenId(TokenId number) {
        return new SegmentConfig(access, policy, token, number, isolated, windowsOnly);
    }

    public SegmentConfig withIsolation() {
        return new SegmentConfig(access, policy, token, tokenId, true, windowsOnly);
    }

    /**
     * An import of the segment opens nothing by itself: neither operations on it nor {@link RemoteSegment#map} are allowed,
     * and a network device has no key for the whole of it. The home permits the import to a context with a live grant of a
     * window ({@link LocalSegment#grant(PeerId, long, long, Access)}), and asks for no token: the policy is NONE. Windows
     * need remote access, and exclude isolation.
     */
    public SegmentConfig withWindowsOnly() {
        return new SegmentConfig(access, TokenPolicy.NONE, token, tokenId, isolated, true);
    }

    /** Of allocated memory, of foreign memory, or of device memory. */
    SegmentRequest request(
            @Nullable ProviderMemory memory, @Nullable MemorySegment foreign, @Nullable PeerRegion region) {
        int number = tokenId == null ? 0 : tokenId.value();
        return new SegmentRequest(memory, foreign, region, access, policy, token, number, isolated, windowsOnly);
    }
}
