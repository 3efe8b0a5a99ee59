package io.urma4j;

import io.urma4j.internal.Checks;

/**
 * The global name of a Jetty, JFR or JFS: its EID, its address space, and its number there.
 *
 * @param uasid 24 bits
 * @param id 24 bits
 */
public record JettyId(Eid eid, int uasid, int id) {
    /** Largest UASID and largest id: both have 24 bits. */
    public static final int MAX = 0xFF_FFFF;

    public JettyId {
        if ((uasid & ~MAX) != 0 || (id & ~MAX) != 0) {
            throw Checks.invalid("Jetty id", "uasid " + uasid + " and id " + id + " must lie in 0…" + MAX);
        }
    }

    /** {@code eid/uasid/id}. */
    @Override
    public String toString() {
        return eid + "/" + uasid + "/" + id;
    }
}
