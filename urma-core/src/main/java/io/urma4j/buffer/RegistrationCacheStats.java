package io.urma4j.buffer;

/**
 * A snapshot of a {@link RegistrationCache}.
 *
 * @param regions registrations that it keeps
 * @param bytes of these; bytes of regions that overlap count for each
 * @param used regions of these with open buffers, or operations that hold them
 * @param hits calls that found a registration
 * @param misses calls that registered
 * @param refusals calls that a context refused, or would have refused again
 * @param evictions registrations that ended to make room
 * @param expirations registrations whose memory was freed
 */
public record RegistrationCacheStats(
        int regions, long bytes, int used, long hits, long misses, long refusals, long evictions, long expirations) {

    @Override
    public String toString() {
        return regions + " regions of " + bytes + " bytes, " + used + " in use; " + hits + " hits, " + misses
                + " misses, " + refusals + " refusals, " + evictions + " evictions, " + expirations + " expirations";
    }
}
