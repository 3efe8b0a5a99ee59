package io.urma4j.buffer;

/**
 * What a peer has of a pool.
 *
 * @param leases of which it has windows
 * @param windows granted to it, also those that it still uses after their revocation
 * @param stillUsed of these: revoked ones
 */
record PeerUse(long leases, long windows, long stillUsed) {
    PeerUse plus(PeerUse more) {
        return new PeerUse(leases + more.leases, windows + more.windows, stillUsed + more.stillUsed);
    }
}
