package io.urma4j.spi.support;

import java.util.ArrayList;
import java.util.List;

/** The flows of one send queue. Guarded as the queue is; how a flow is found by its target is the provider's. */
public final class SendFlows<F extends SendFlow> {
    private final List<F> flows = new ArrayList<>();

    public void add(F flow) {
        flows.add(flow);
    }

    public void remove(F flow) {
        flows.remove(flow);
    }

    public void clear() {
        flows.clear();
    }

    public List<F> all() {
        return flows;
    }

    /** What was sent to the peer is given up: its flows start anew. */
    public void startAnew(SendPeer peer, long nowNanos) {
        for (F flow : flows) {
            if (flow.isTo(peer)) {
                flow.startAnew(nowNanos);
            }
        }
    }

    /**
     * When the earliest retransmission to a receiver that was not ready is due; {@code Long.MAX_VALUE} when none is.
     *
     * @param afterNanos retransmissions that were due by then wait for something else
     */
    public long nextRetryNanos(long afterNanos) {
        long next = Long.MAX_VALUE;
        for (F flow : flows) {
            if (flow.probing && flow.sent == 0 && flow.retryAtNanos > afterNanos) {
                next = Math.min(next, flow.retryAtNanos);
            }
        }
        return next;
    }
}
