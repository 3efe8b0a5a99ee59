package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendOrder;
import io.urma4j.udma.ring.WqRing;

/**
 * The short way of a work request that was posted while nothing else is ready: header prediction, sending. The request is
 * the only one of its queue, its connection is quiet, and no other queue or connection has work. Then the questions of
 * order, schedule and window have known answers: this class checks first that they have, and then starts and sends the
 * request in one step. Any other request takes the general way.
 *
 * <p>With and without it every packet, record and state is the same, which the simulation compares (docs/simulation.md).
 */
final class SendPrediction {
    private final SendQueue queue;
    private final Schedule schedule;
    private final SendStarts starts;
    private final NativeMemory ring;
    private final SendOrder<SendSlot, PeerFlow> order;
    private final OrderWindow<SendSlot, PeerFlow> window;

    SendPrediction(SendQueue queue, Schedule schedule, SendStarts starts) {
        this.queue = queue;
        this.schedule = schedule;
        this.starts = starts;
        this.ring = queue.ring();
        this.order = starts.order();
        this.window = order.window();
    }

    /** Sends the only new work request; false if it must take the general way, with nothing changed. */
    boolean sends(long nowNanos) {
        long position = window.end();
        if (!window.isEmpty() || WqRing.produced(ring) != position + 1) {
            return false;
        }
        SendSlot slot = starts.filled(position, nowNanos);
        Flow flow = slot.flow;
        PeerFlow peer = slot.peer;
        if (flow == null || peer == null || !mayStart(slot) || !isFree(peer.link)) {
            return false;
        }
        assert peer.sent == 0 && !peer.isTransferring : "an empty queue has something in flight";
        schedule.queues.removeOnly();
        schedule.connections.removeOnly();
        starts.beginStep(nowNanos);
        slot.tried();
        order.addStarted(position, slot, nowNanos);
        boolean startsAnew = flow.restart;
        flow.restart = startsAnew && !starts.tellsRestart(slot);
        schedule.deadlines.set(queue, starts.silence().dueNanos(nowNanos));
        peer.link.startAndSend(queue, position, flow.target.remoteQueue(), startsAnew, nowNanos);
        return true;
    }

    /** Whether nothing holds it up, its payload is here, and its home has not revoked what it names. */
    private boolean mayStart(SendSlot slot) {
        return !slot.isOnDevice && !slot.hasBlocks && !slot.isRefused() && order.startsAlone(slot);
    }

    /** Whether the connection has nothing else to do, and no other has work. */
    private boolean isFree(CardConnection link) {
        return schedule.connections.hasAtMost(link) && link.isQuiet();
    }
}
