package io.urma4j.shm;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The targets that a queue with {@code ErrorScope.TARGET} serves no more: each an import, which stays here for as long as
 * somebody has it. An import made anew is another one. Guarded by the queue's lock.
 */
final class FailedTargets {
    private final Set<Object> targets = Collections.newSetFromMap(new WeakHashMap<>()); // none of them has an equals

    void add(Object target) {
        targets.add(target);
    }

    boolean contains(Object target) {
        return !targets.isEmpty() && targets.contains(target);
    }

    /** Whether the work request names one. */
    boolean areNamedBy(Wqe entry) {
        return !targets.isEmpty()
                && ((entry.lane != null && targets.contains(entry.lane.target))
                        || (entry.remote != null && targets.contains(entry.remote))
                        || (entry.notify != null && targets.contains(entry.notify)));
    }
}
