package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prevents a new registration of memory while importers of an earlier one may still touch it. Safe for any thread. */
public final class Quarantine {
    private final Map<Object, List<String>> importers = new LinkedHashMap<>(); // by segment; guarded by this

    /** These importers of a segment have not released it. */
    public synchronized void add(Object segment, List<String> late) {
        importers.put(segment, List.copyOf(late));
    }

    /** All importers of a segment have released it. */
    public synchronized void end(Object segment) {
        importers.remove(segment);
    }

    /**
     * Refuses while importers may still touch the memory.
     *
     * @throws UrmaException EAGAIN, naming them
     */
    public synchronized void check(Object memory) {
        if (!importers.isEmpty()) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN, memory, "is quarantined: these may still use it: " + importers.values());
        }
    }
}
