package io.urma4j.udma.driver;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Grants that their home revoked before the answer that grants them arrived: the network may reorder the two. The last ones
 * are cached until then.
 */
final class EarlyRevocations {
    private static final int MAX = 256;

    private final Set<Long> grants = new LinkedHashSet<>();

    void add(long grant) {
        grants.add(grant);
        if (grants.size() > MAX) {
            grants.remove(grants.iterator().next());
        }
    }

    boolean remove(long grant) {
        return grants.remove(grant);
    }
}
