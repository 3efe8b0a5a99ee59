package io.urma4j.udma.driver;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Grants that their home took back before we knew of them: the network may bring the second word first. The last ones are
 * remembered, so that the first word finds them.
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
