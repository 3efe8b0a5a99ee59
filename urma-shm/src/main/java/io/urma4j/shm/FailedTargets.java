package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.spi.BlockTransfer;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The targets that a queue with {@code ErrorScope.TARGET} serves no more: each an import, which stays here for as long as
 * something refers to it. An import made anew is another one. Guarded by the queue's lock.
 */
final class FailedTargets {
    private static final int REM_ACCESS_ABORT_ERR = CompletionStatus.REM_ACCESS_ABORT_ERR.value();

    private final SendSlots slots;
    private final Flows flows;
    private final Set<Object> targets = Collections.newSetFromMap(new WeakHashMap<>()); // none of them has an equals

    FailedTargets(SendSlots slots, Flows flows) {
        this.slots = slots;
        this.flows = flows;
    }

    /** Adds the target at which a work request failed. */
    void blame(Wqe entry, int status) {
        Object culprit = culprit(entry, status);
        if (culprit != null) {
            add(culprit);
        }
    }

    void add(Object target) {
        targets.add(target);
        if (target instanceof ShmTarget flow) {
            flows.targetFailed(flow, System.nanoTime());
        } else if (target instanceof ShmImport imported && !OneSided.isGone(imported)) {
            slots.shut(SendSlots.DIVERTED); // its memory would still take what is posted
        }
    }

    boolean contains(Object target) {
        return !targets.isEmpty() && targets.contains(target);
    }

    /** Whether the work request names one. */
    boolean areNamedBy(Wqe entry) {
        return !targets.isEmpty()
                && ((entry.to != null && targets.contains(entry.to.target))
                        || (entry.remote != null && targets.contains(entry.remote))
                        || (entry.blocks != null && areIn(entry.blocks))
                        || (entry.notify != null && targets.contains(entry.notify)));
    }

    private boolean areIn(BlockTransfer transfer) {
        for (int region = 0; region < transfer.regions(); region++) {
            if (targets.contains(transfer.remote(region))) {
                return true;
            }
        }
        return false;
    }

    /** Which of its targets a work request failed at. */
    private static @Nullable Object culprit(Wqe entry, int status) {
        boolean access = status == REM_ACCESS_ABORT_ERR;
        if (access && OneSided.isGone(entry.notify)) {
            return entry.notify;
        }
        if (entry.to == null || (access && OneSided.isGone(entry.remote))) {
            return entry.remote;
        }
        return entry.to.target;
    }
}
