package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.util.Set;

/**
 * The targets that a queue whose failures are a target's own serves no more (S6.12): flows, and keys of memory, each of one
 * home.
 */
final class FailedTargets {
    private final NativeMemory ring;

    FailedTargets(NativeMemory ring) {
        this.ring = ring;
    }

    /** A message fails at its queue, unless its bytes were refused; everything else at what its keys open. */
    void blame(SendSlot failed, int status, long nowNanos) {
        Flow flow = failed.flow;
        if (flow == null) {
            return;
        }
        PeerFlow peer = failed.peer;
        boolean access = status == WorkStatus.REM_ACCESS_ABORT_ERR;
        if (failed.isMessage() && !(failed.placesBytes && access)) {
            flow.failedTargets.add(SendWqe.target(ring, failed.at));
            flow.startAnew(nowNanos);
        } else if (peer != null) {
            peer.failedKeys.add(failedKey(failed));
        }
    }

    private int failedKey(SendSlot failed) {
        if ((failed.flags & SendWqe.NOTIFY_GONE) != 0) {
            return SendWqe.notifyKey(ring, failed.at);
        }
        return failed.failedKey != 0 ? failed.failedKey : SendWqe.remoteKey(ring, failed.at);
    }

    /** Whether the work request is to one of them. */
    boolean areNamedBy(SendSlot slot) {
        Flow flow = slot.flow;
        if (flow == null) {
            return false;
        }
        if (slot.isMessage() && !flow.failedTargets.isEmpty() && isToFailed(slot, flow)) {
            return true;
        }
        PeerFlow peer = slot.peer;
        return peer != null && !peer.failedKeys.isEmpty() && names(slot, peer.failedKeys);
    }

    private boolean isToFailed(SendSlot message, Flow flow) {
        return flow.failedTargets.contains(SendWqe.target(ring, message.at));
    }

    private boolean names(SendSlot slot, Set<Integer> keys) {
        return (slot.opcode < WorkOpcode.SEND && keys.contains(SendWqe.remoteKey(ring, slot.at)))
                || (slot.opcode == WorkOpcode.WRITE_NOTIFY && keys.contains(SendWqe.notifyKey(ring, slot.at)));
    }
}
