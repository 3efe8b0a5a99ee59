package io.urma4j.shm.control;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lost peers whose end is not proven yet. The engine's thread.
 *
 * <p>The end of a process that is watched proves it; otherwise the peer's lock in the runtime directory does.
 */
final class LostPeers {
    /** How long after the end of a connection to wait for the proof of death; then the loss is reported without it. */
    private static final long PROOF_PATIENCE_NANOS = 100_000_000;

    private static final long LOCK_POLL_NANOS = 50_000_000;

    private final Engine engine;
    private final PeerWatch watch;
    private final Serving serving;
    private final Map<Peer, Loss> unproven = new HashMap<>();

    /**
     * How a peer was lost.
     *
     * @param why the first reason; a later exit of its process explains nothing
     * @param told whether the data plane knows
     */
    private record Loss(String why, boolean told) {}

    LostPeers(Engine engine, PeerWatch watch, Serving serving) {
        this.engine = engine;
        this.watch = watch;
        this.serving = serving;
    }

    Set<Peer> all() {
        return unproven.keySet();
    }

    /** A peer that matters is lost, and nothing proves its end. */
    void add(Peer peer, String why) {
        unproven.put(peer, new Loss(why, false));
        engine.after(PROOF_PATIENCE_NANOS, () -> {
            if (unproven.replace(peer, new Loss(why, false), new Loss(why, true))) {
                serving.judged(peer, why, false);
            }
        });
        if (peer.process == null) {
            pollLock(peer);
        }
    }

    /** A peer that imported nothing when it was lost has connected again, and is known: nothing waits for its earlier end. */
    void cameAgain(Peer peer) {
        for (Peer earlier : List.copyOf(unproven.keySet())) {
            if (!earlier.mattered && earlier.identity().equals(peer.identity())) {
                earlier.stopWatching();
                prove(earlier);
            }
        }
    }

    private void pollLock(Peer peer) {
        if (!unproven.containsKey(peer)) {
            return;
        }
        if (watch.isGone(peer)) {
            peer.stopWatching();
            prove(peer);
        } else {
            engine.after(LOCK_POLL_NANOS, () -> pollLock(peer));
        }
    }

    /** Its end is proven; no effect for a peer that is not waited for. */
    void prove(Peer peer) {
        Loss loss = unproven.remove(peer);
        if (loss == null) {
            return;
        }
        if (!loss.told()) {
            serving.judged(peer, loss.why(), true);
        }
        serving.proven(peer);
    }

    void close() {
        unproven.keySet().forEach(Peer::stopWatching);
        unproven.clear();
    }
}
