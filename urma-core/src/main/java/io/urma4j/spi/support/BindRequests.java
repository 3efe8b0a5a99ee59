package io.urma4j.spi.support;

import io.urma4j.UrmaStatus;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests of peers to bind to an RC Jetty (S5.7): at most one Jetty is bound to it, of a peer that has imported it.
 *
 * @param <P> the provider's peers
 */
public final class BindRequests<P> {
    private final int orderType;
    private final Predicate<P> isLost;
    private final Set<P> importers = new HashSet<>(); // these three: guarded by this
    private @Nullable Partner<P> partner;
    private long boundBy; // the number of its request

    /** The Jetty that is bound to this one, whether or not this one is bound to it. */
    private record Partner<P>(P peer, int queue) {}

    /** What a request gets. */
    public enum Answer {
        BOUND(UrmaStatus.SUCCESS, ""),
        NOT_IMPORTED(UrmaStatus.ENOPERM, "the requesting context has not imported it"),
        OTHER_ORDER(UrmaStatus.ENOPERM, "the order types differ"),
        TAKEN(UrmaStatus.EINVAL, "it is bound to another Jetty");

        private final UrmaStatus status;
        private final String why;

        Answer(UrmaStatus status, String why) {
            this.status = status;
            this.why = why;
        }

        public UrmaStatus status() {
            return status;
        }

        /** Of a refusal. */
        public String why() {
            return why;
        }
    }

    /** The requests to a Jetty with that effective order type; a lost peer holds no place. */
    public BindRequests(int orderType, Predicate<P> isLost) {
        this.orderType = orderType;
        this.isLost = isLost;
    }

    /** A peer has imported the Jetty: it had the token. */
    public synchronized void imported(P peer) {
        importers.removeIf(isLost); // the loss of one that held nothing else is not reported
        importers.add(peer);
    }

    /**
     * A peer's Jetty requests to bind.
     *
     * @param number of the request among those of the peer, in the order in which it made them
     * @param queue number of that Jetty
     * @param mayBind whether this Jetty is unbound, or bound to that Jetty
     */
    public synchronized Answer requested(P peer, long number, int queue, int wantedOrder, boolean mayBind) {
        if (!importers.contains(peer)) { // else any peer that knows the number could take the only place
            return Answer.NOT_IMPORTED;
        }
        if (wantedOrder != orderType) {
            return Answer.OTHER_ORDER;
        }
        if (partner != null && isLost.test(partner.peer)) {
            partner = null;
        }
        Partner<P> now = new Partner<>(peer, queue);
        if (!mayBind || (partner != null && !partner.equals(now))) {
            return Answer.TAKEN;
        }
        partner = now;
        boundBy = number;
        return Answer.BOUND;
    }

    /** Ends what earlier requests have bound: a retransmission may arrive behind a later request of the peer. */
    public synchronized void unrequested(P peer, long number, int queue) {
        if (number >= boundBy && new Partner<>(peer, queue).equals(partner)) {
            partner = null;
        }
    }

    public synchronized void peerLost(P peer) {
        importers.remove(peer);
        if (partner != null && partner.peer.equals(peer)) {
            partner = null;
        }
    }
}
