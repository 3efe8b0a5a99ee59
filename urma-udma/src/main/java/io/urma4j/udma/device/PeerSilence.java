package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendEntry.Stage;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.udma.command.CardListener;

/** Fails what a peer has left unanswered for too long, silent or not (S12.3). */
final class PeerSilence {
    /** A connection that makes no progress for so long is given up, though its peer may answer pings. */
    private static final long LONGEST_SILENCE_NANOS = 15_000_000_000L;

    private final SendOrder<SendSlot, PeerFlow> order;
    private final CardListener listener;
    private final long timeoutNanos;
    private long dueNanos = Long.MAX_VALUE;

    PeerSilence(SendOrder<SendSlot, PeerFlow> order, CardListener listener, long timeoutNanos) {
        this.order = order;
        this.listener = listener;
        this.timeoutNanos = timeoutNanos;
    }

    /** When to look next; {@code Long.MAX_VALUE} for never. */
    long dueNanos(long nowNanos) {
        boolean isWatching =
                order.life().state() == QueueState.READY || order.life().isSuspending();
        if (order.window().isEmpty()) {
            dueNanos = Long.MAX_VALUE;
        } else if (dueNanos == Long.MAX_VALUE && isWatching) {
            dueNanos = nowNanos + timeoutNanos;
        }
        return dueNanos;
    }

    /** Looks if it is time. */
    void expireDue(long nowNanos) {
        if (nowNanos >= dueNanos) {
            dueNanos = expire(nowNanos);
        }
    }

    /**
     * Looks for the oldest work request that has waited too long. A peer that is heard but acknowledges nothing has twice the
     * time, and that of one retransmission.
     *
     * @return when to look again; {@code Long.MAX_VALUE} for not until something is started
     */
    private long expire(long nowNanos) {
        boolean ready = order.life().state() == QueueState.READY;
        if (!ready && !order.life().isSuspending()) {
            return Long.MAX_VALUE;
        }
        OrderWindow<SendSlot, PeerFlow> window = order.window();
        long next = Long.MAX_VALUE;
        for (long position = window.head(); position < window.end(); position++) {
            SendSlot slot = window.at(position);
            Flow flow = slot.flow;
            PeerFlow peer = slot.peer;
            if (slot.isSettled() || flow == null || peer == null) {
                continue;
            }
            if (slot.stage == Stage.WAITING && (!ready || flow.probing)) {
                continue; // waits for a receive work request, which may take any time
            }
            CardConnection link = peer.link;
            if (link.awaitsCopy() || slot.heldStatus != SendSlot.NOT_HELD) {
                continue; // for a copy engine of this host
            }
            long silentNanos = Math.max(slot.sinceNanos, link.silentSinceNanos()) + timeoutNanos;
            long stuckNanos = Math.max(slot.sinceNanos, link.lastProgressNanos())
                    + 2 * timeoutNanos
                    + CardConnection.REPEAT_NANOS;
            boolean isSilent = nowNanos - silentNanos >= 0;
            if (isSilent || nowNanos - stuckNanos >= 0) {
                if (window.isBehindEvent(position)) {
                    slot.sinceNanos = nowNanos; // its peer has nothing to answer yet
                    next = Math.min(next, nowNanos + timeoutNanos);
                    continue;
                }
                tell(link, isSilent, nowNanos);
                order.failures().peerSilent(position, peer);
                return nowNanos + timeoutNanos;
            }
            next = Math.min(next, Math.min(silentNanos, stuckNanos));
        }
        return next;
    }

    /** A peer that drops all that we send, since forged packets took our PSNs, is silent on this connection alone. */
    private void tell(CardConnection link, boolean isSilent, long nowNanos) {
        long patienceNanos = Math.max(LONGEST_SILENCE_NANOS, 2 * timeoutNanos);
        if (isSilent && nowNanos - link.lastProgressNanos() < patienceNanos) {
            listener.peerSilent(link.handle());
        } else {
            listener.peerStuck(link.handle());
        }
    }
}
