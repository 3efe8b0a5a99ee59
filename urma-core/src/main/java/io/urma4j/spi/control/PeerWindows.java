package io.urma4j.spi.control;

import io.urma4j.PeerId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The windows of a segment that were granted to peers by their ids (S14.32), whether or not these import it. A window is in
 * here until it is revoked: taken back, or ended with its peer or the segment. Safe for any thread.
 *
 * <p>Windows are created and revoked under its lock, so that a window that is no longer here is revoked.
 */
public final class PeerWindows {
    private final BooleanSupplier isEnded;
    private final Map<PeerId, Window> first = new HashMap<>(); // of the chain of each peer; guarded by this

    /** A granted window, and its place among those of its peer: linked, so that it costs no node of a set. */
    public abstract static class Window {
        // guarded by the PeerWindows that it is in
        private boolean isIn;
        private @Nullable Window before;
        private @Nullable Window after;

        /** A window that is in no chain yet. */
        protected Window() {}

        /** Makes its key invalid. Called once. */
        public abstract void revoke();
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
        link(peer, window);
        return Optional.of(window);
    }

    private void link(PeerId peer, Window window) {
        Window next = first.put(peer, window);
        if (next != null) {
            window.after = next;
            next.before = window;
        }
        window.isIn = true;
    }

    /** Revokes a window, unless it was revoked before. */
    public synchronized void end(PeerId peer, Window window) {
        if (window.isIn) {
            unlink(peer, window);
            window.revoke();
        }
    }

    private void unlink(PeerId peer, Window window) {
        Window before = window.before;
        Window after = window.after;
        if (after != null) {
            after.before = before;
        }
        if (before != null) {
            before.after = after;
        } else if (after != null) {
            first.put(peer, after);
        } else {
            first.remove(peer);
        }
        window.isIn = false;
        window.before = null;
        window.after = null;
    }

    /** Revokes the windows of a peer. */
    public void endOf(PeerId peer) {
        endOf(peer, _ -> true);
    }

    /** Revokes those windows of a peer that are chosen. */
    public synchronized void endOf(PeerId peer, Predicate<Window> isChosen) {
        Window window = first.get(peer);
        while (window != null) {
            Window next = window.after;
            if (isChosen.test(window)) {
                end(peer, window);
            }
            window = next;
        }
    }

    /** Revokes all. */
    synchronized void endAll() {
        List.copyOf(first.keySet()).forEach(this::endOf);
    }

    /** Whether the peer has a window that is not revoked. */
    public synchronized boolean has(PeerId peer) {
        return first.containsKey(peer);
    }
}
