package io.urma4j.bench.compare;

import io.urma4j.bench.Limit;

/**
 * What urma4j must reach, compared with one peer.
 *
 * @param peer its name
 * @param limit the largest multiple of the peer's time, or the smallest multiple of its speed
 */
public record Target(String peer, Limit limit) {
    static Target atMost(String peer, double times) {
        return new Target(peer, new Limit.AtMost(times));
    }

    static Target atLeast(String peer, double speed) {
        return new Target(peer, new Limit.AtLeast(speed));
    }

    /** Quicker than the peer, by however little. */
    static Target ahead(String peer) {
        return atLeast(peer, 1);
    }
}
