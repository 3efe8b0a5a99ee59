package io.urma4j.udma.device;

import io.urma4j.udma.command.CardState;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.util.HashSet;
import java.util.Set;

/**
 * What a failed work request does to the others of its queue: it ends them all (S6.6), suspends them (S6.10), or ends
 * those to the same target (S6.12).
 */
final class FailurePolicy {
    /** A connection that makes no progress for so long is given up, though its peer may answer pings. */
    private static final long LONGEST_SILENCE_NANOS = 15_000_000_000L;

    private final SendQueue queue;
    private final Board board;
    private final Slots slots;
    private final Flows flows;
    private final boolean suspends;
    private final boolean byTarget;
    private final Set<Integer> failedKeys = new HashSet<>();
    private long failures;

    FailurePolicy(SendQueue queue, Board board, Slots slots, Flows flows) {
        this.queue = queue;
        this.board = board;
        this.slots = slots;
        this.flows = flows;
        this.suspends = queue.config().errorSuspend();
        this.byTarget = queue.config().errorByTarget();
    }

    long failures() {
        return failures;
    }

    /** Whether the work request is to a target that failed before. */
    boolean concerns(long position) {
        return byTarget && isToFailed(position);
    }

    private boolean isToFailed(long position) {
        Flow flow = slots.flow(position);
        if (flow == null) {
            return false;
        }
        long at = queue.at(position);
        int opcode = SendWqe.opcode(queue.ring(), at);
        if (flow.failed && WorkOpcode.isMessage(opcode)) {
            return true;
        }
        return !failedKeys.isEmpty()
                && ((opcode < WorkOpcode.SEND && failedKeys.contains(SendWqe.remoteKey(queue.ring(), at)))
                        || (opcode == WorkOpcode.WRITE_NOTIFY
                                && failedKeys.contains(SendWqe.notifyKey(queue.ring(), at))));
    }

    /** A work request has failed. */
    void failed(long position, int status) {
        failures++;
        if (byTarget) {
            failTarget(position, status);
        } else if (suspends && mayRecover(status)) {
            suspend(position, status);
        } else {
            fail(status);
        }
    }

    // ---- ERROR

    /** Goes to ERROR: what has begun is flushed, what has not waits for {@code flush}. */
    void fail() {
        fail(WorkStatus.SUCCESS);
    }

    private void fail(int cause) {
        queue.enterError(cause);
        giveUpAll();
    }

    /** Nothing is waited for any more: what has begun is flushed. */
    void giveUpAll() {
        long last = lastStarted();
        for (long position = queue.head(); position <= last; position++) {
            byte stage = slots.stage(position);
            // what was turned away was begun before what is under way: its result comes before, too (S6.8)
            if (stage == Slots.STARTED || (stage == Slots.WAITING && slots.wasTried(position))) {
                queue.end(position, WorkStatus.WR_FLUSH_ERR);
            }
        }
        flows.abandonAll(queue); // after they have ended: what connections say now is ignored
        flows.startAnew(board.nowNanos);
    }

    private long lastStarted() {
        long position = queue.end() - 1;
        while (position >= queue.head() && slots.stage(position) != Slots.STARTED) {
            position--;
        }
        return position;
    }

    // ---- SUSPENDED

    /** A peer that does not answer, or is not ready, may do so later. */
    private static boolean mayRecover(int status) {
        return status == WorkStatus.ACK_TIMEOUT_ERR || status == WorkStatus.RNR_RETRY_CNT_EXC_ERR;
    }

    private void suspend(long failed, int status) {
        Flow flow = slots.flow(failed);
        if (flow != null) {
            flow.startAnew(board.nowNanos);
            CardConnection link = flow.target.link();
            if (link != null && status == WorkStatus.ACK_TIMEOUT_ERR) {
                giveUp(link);
            }
        }
        if (queue.state() == CardState.READY) {
            queue.enterSuspended();
        }
    }

    /** Nobody knows what the silent peer has done of what was sent to it. */
    private void giveUp(CardConnection silent) {
        for (long position = queue.head(); position < queue.end(); position++) {
            if (slots.stage(position) == Slots.STARTED && isTo(silent, position)) {
                queue.end(position, WorkStatus.WR_FLUSH_ERR);
            }
        }
        silent.pause(queue);
        flows.startAnew(silent, board.nowNanos);
    }

    private boolean isTo(CardConnection link, long position) {
        Flow flow = slots.flow(position);
        return flow != null && flow.target.link() == link;
    }

    // ---- one target

    /** A message fails at its queue, unless its bytes were refused; everything else at what its keys open. */
    private void failTarget(long failed, int status) {
        Flow flow = slots.flow(failed);
        if (flow == null) {
            return;
        }
        long at = queue.at(failed);
        int opcode = SendWqe.opcode(queue.ring(), at);
        boolean access = status == WorkStatus.REM_ACCESS_ABORT_ERR;
        if (WorkOpcode.isMessage(opcode) && !(opcode == WorkOpcode.WRITE_IMM && access)) {
            flow.failed = true;
            flow.startAnew(board.nowNanos);
        } else if ((SendWqe.flags(queue.ring(), at) & SendWqe.NOTIFY_GONE) != 0) {
            failedKeys.add(SendWqe.notifyKey(queue.ring(), at));
        } else {
            failedKeys.add(SendWqe.remoteKey(queue.ring(), at));
        }
        for (long position = queue.head(); position < queue.end(); position++) {
            if (slots.stage(position) == Slots.WAITING && isToFailed(position)) {
                queue.end(position, WorkStatus.WR_FLUSH_ERR);
            } // what was started ends with its own result: its connection may still send it
        }
    }

    // ---- peers

    /** The peer is gone: the oldest work request to it fails, and with it what its failure affects. */
    void peerLost(CardConnection link) {
        if (queue.state() != CardState.READY && queue.state() != CardState.SUSPENDED) {
            return;
        }
        long oldest = oldestTo(link);
        if (oldest >= 0) {
            silent(oldest, link);
        }
    }

    /** Fails the oldest work request to a peer that is gone or silent; and when failures are targets' own, all to it. */
    private void silent(long oldest, CardConnection link) {
        queue.end(oldest, WorkStatus.ACK_TIMEOUT_ERR);
        if (!byTarget) {
            failed(oldest, WorkStatus.ACK_TIMEOUT_ERR);
            return;
        }
        for (long next = oldest; next >= 0; next = oldestTo(link)) {
            queue.end(next, WorkStatus.ACK_TIMEOUT_ERR);
            failed(next, WorkStatus.ACK_TIMEOUT_ERR);
            flushStarted(next);
        }
        link.abandon(queue);
    }

    /** Those to a target that has failed which had begun. */
    private void flushStarted(long failed) {
        for (long position = failed + 1; position < queue.end(); position++) {
            if (slots.stage(position) == Slots.STARTED && isToFailed(position)) {
                queue.end(position, WorkStatus.WR_FLUSH_ERR);
            }
        }
    }

    /** What a suspended queue holds has not begun: it fails when it is started. */
    private long oldestTo(CardConnection link) {
        boolean holds = queue.state() == CardState.SUSPENDED;
        for (long position = queue.head(); position < queue.end(); position++) {
            boolean isHeld = holds && slots.stage(position) == Slots.WAITING;
            if (!slots.isSettled(position) && isTo(link, position) && !isHeld) {
                return position;
            }
        }
        return -1;
    }

    /**
     * Fails what its peer has left unanswered for too long, silent or not (S12.3). A peer that is heard but acknowledges
     * nothing has twice the time, and that of one retransmission.
     *
     * @return when to look again; {@code Long.MAX_VALUE} for not until something is started
     */
    long expire(long nowNanos) {
        boolean ready = queue.state() == CardState.READY;
        if (!ready && queue.drain() != SendQueue.Drain.SUSPENSION) {
            return Long.MAX_VALUE;
        }
        long timeoutNanos = queue.config().timeoutNanos();
        long next = Long.MAX_VALUE;
        for (long position = queue.head(); position < queue.end(); position++) {
            Flow flow = slots.flow(position);
            if (slots.isSettled(position) || flow == null || flow.peer == null) {
                continue;
            }
            boolean holds = !ready || flow.probing;
            if (slots.stage(position) == Slots.WAITING && holds) {
                continue; // waits for a receive work request, which may take for ever
            }
            CardConnection link = flow.peer.link;
            long sinceNanos = slots.sinceNanos(position);
            long silentNanos = Math.max(sinceNanos, link.lastHeardNanos()) + timeoutNanos;
            long stuckNanos =
                    Math.max(sinceNanos, link.lastProgressNanos()) + 2 * timeoutNanos + CardConnection.REPEAT_NANOS;
            boolean isSilent = nowNanos - silentNanos >= 0;
            if (isSilent || nowNanos - stuckNanos >= 0) {
                tell(link, isSilent, nowNanos);
                silent(position, link);
                return nowNanos + timeoutNanos;
            }
            next = Math.min(next, Math.min(silentNanos, stuckNanos));
        }
        return next;
    }

    /** A peer that drops all that we send, since forged packets took our PSNs, is silent on this connection alone. */
    private void tell(CardConnection link, boolean isSilent, long nowNanos) {
        long patienceNanos = Math.max(LONGEST_SILENCE_NANOS, 2 * queue.config().timeoutNanos());
        if (isSilent && nowNanos - link.lastProgressNanos() < patienceNanos) {
            board.listener.peerSilent(link.handle());
        } else {
            board.listener.peerStuck(link.handle());
        }
    }
}
