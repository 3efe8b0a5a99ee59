package io.urma4j.udma.driver;

import io.urma4j.PeerId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * The numbers by which the card knows peer contexts. A window can be bound to the number of a peer before that connects
 * (S14.32): the connection gets the number that waits for its identity. If several peers claim one identity, the first to
 * connect has it, and the others get numbers to which no window is bound. Safe for any thread.
 */
final class PeerNumbers {
    private final IntSupplier next;
    private final Map<PeerId, Named> named = new HashMap<>(); // guarded by this

    private static final class Named {
        final int number;
        int windows;
        boolean isConnected;

        Named(int number) {
            this.number = number;
        }
    }

    /** @param next a number that no peer of the card had */
    PeerNumbers(IntSupplier next) {
        this.next = next;
    }

    /** Whether a peer that proves this identity may have its number: no other connected one has it. */
    synchronized boolean isFree(PeerId peer) {
        Named found = named.get(peer);
        return found == null || !found.isConnected;
    }

    /** The number for a window. */
    synchronized int retain(PeerId peer) {
        Named found = of(peer);
        found.windows++;
        return found.number;
    }

    /** Whether a window waits for the peer, or is used by it. */
    synchronized boolean hasWindows(PeerId peer) {
        Named found = named.get(peer);
        return found != null && found.windows > 0;
    }

    /** A window of the peer has ended. */
    synchronized void release(PeerId peer) {
        Named found = named.get(peer);
        if (found != null) {
            found.windows--;
            removeUnused(peer, found);
        }
    }

    /** The number of a connection; the identity stays taken until {@link #disconnect}. Only if {@link #isFree}. */
    synchronized int connect(PeerId peer) {
        Named found = of(peer);
        found.isConnected = true;
        return found.number;
    }

    /** The identity with that number; empty if no connection and no window has it. */
    synchronized Optional<PeerId> identityOf(int number) {
        return named.entrySet().stream()
                .filter(entry -> entry.getValue().number == number)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    synchronized void disconnect(PeerId peer) {
        Named found = named.get(peer);
        if (found != null) {
            found.isConnected = false;
            removeUnused(peer, found);
        }
    }

    private Named of(PeerId peer) {
        return named.computeIfAbsent(peer, _ -> new Named(next.getAsInt()));
    }

    private void removeUnused(PeerId peer, Named found) {
        if (found.windows == 0 && !found.isConnected) {
            named.remove(peer);
        }
    }
}
