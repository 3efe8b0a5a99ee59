package io.urma4j;

import io.urma4j.internal.Checks;

/**
 * The identity of a context, as its peers prove it when they connect. Passed by any side channel, so that a home can grant
 * windows to a context before it has imported anything (S14.32). It is no secret: a context that copies it proves nothing.
 *
 * @param eid of its device
 * @param uasid of the context there, 24 bits
 * @param incarnation new at each opening of a context; a restarted peer is another peer (S1.5)
 */
public record PeerId(Eid eid, int uasid, long incarnation) {
    public PeerId {
        if (eid.isZero()) {
            throw Checks.invalid("peer id", "the EID is zero");
        }
        Checks.inRange("peer id", "uasid", uasid, 0, JettyId.MAX);
    }
}
