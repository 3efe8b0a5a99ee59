package io.urma4j.spi.control;

import io.urma4j.PeerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The windows of a segment that were granted to peers by their ids (S14.32), whether or not these import it. A window is in
 * here until it is revoked: taken back, or ended with its peer or the segment. Safe for any thread.
 *
 * <p>Windows are created and revoked under its lock, so that a window that is no longer here is revoked.
 */
public final class PeerWindows {
    private final BooleanSupplier isEnded;
    private final Map<PeerId, Set<Window>> windows = new HashMap<>(); // no empty sets; guarded by this

    /** A granted window; equal only to itself. */
    public interface Window {
        /** Makes its key invalid. Called once. */
        void revoke();
    }

    /** @param isEnded whether the segment takes no more windows; must be true before {@link #endAll} is called at its end */
    PeerWindows(BooleanSupplier isEnded) {
        this.isEnded = isEnded;
    }

    /** Adds the window that {@code made} creates; empty if the segment has ended. */
    public synchronized <W extends Window> Optional<W> add(PeerId peer, Supplier<W> made) {
        if (isEnded.getAsBoolean()) {
            return Optional.empty();
        }
        W window = made.get();
        windows.computeIfAbsent(peer, _ -> new HashSet<>()).add(window);
        return Optional.of(window);
    }

    /** Revokes a window, unless it was revoked before. */
    public synchronized void end(PeerId peer, Window window) {
        Set<Window> all = windows.get(peer);
        if (all != null && all.remove(window)) {
            window.revoke();
            if (all.isEmpty()) {
                windows.remove(peer);
            }
        }
    }

    /** Revokes the windows of a peer. */
    public void endOf(PeerId peer) {
        endOf(peer, _ -> true);
    }

    /** Revokes those windows of a peer that are chosen. */
    public synchronized void endOf(PeerId peer, Predicate<Window> isChosen) {
        Set<Window> all = windows.getOrDefault(peer, Set.of());
        for (Window window : List.copyOf(all)) {
            if (isChosen.test(window)) {
                end(peer, window);
            }
        }
    }

    /** Revokes all. */
    synchronized void endAll() {
        windows.values().forEach(all -> all.forEach(Window::revoke));
        windows.clear();
    }

    /** Whether the peer has a window that is not revoked. */
    public synchronized boolean has(PeerId peer) {
        return windows.containsKey(peer);
    }
}
