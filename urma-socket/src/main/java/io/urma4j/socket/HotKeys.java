package io.urma4j.socket;

import io.urma4j.socket.ring.ReadySets;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The keys of a selector that the next selection asks, of channels with a {@link Readiness}: those that were ready, that are
 * marked in the ready words, or of which another thread says so. One thread at a time selects, under the selector's locks.
 */
final class HotKeys {
    private final Selector inner;
    private final ReadySets readySets = new ReadySets();
    private final List<UrmaSelectionKey> hot = new ArrayList<>();
    private final Queue<UrmaSelectionKey> rechecks = new ConcurrentLinkedQueue<>(); // to become hot
    private boolean hasToPoll;
    private boolean isOneReady;

    HotKeys(Selector inner) {
        this.inner = inner;
    }

    /** Where the selector learns of connections over rings. */
    ReadySets readySets() {
        return readySets;
    }

    /** The key's channel is to be asked in the next selection. Any thread. */
    void recheck(UrmaSelectionKey key) {
        rechecks.add(key);
    }

    /** The key's channel is to be asked now, also by a selection in progress. Any thread. */
    void recheckAtOnce(UrmaSelectionKey key) {
        rechecks.add(key);
        inner.wakeup();
    }

    void heat(UrmaSelectionKey key) {
        if (!key.isHot) {
            key.isHot = true;
            hot.add(key);
        }
    }

    boolean isEmpty() {
        return hot.isEmpty();
    }

    /** Whether a thread that spins should ask: keys that were ready a moment ago are so again, before they ask for doorbells. */
    boolean haveNews() {
        for (int i = 0; i < hot.size(); i++) {
            if (hot.get(i).hasNews()) {
                return true;
            }
        }
        return !rechecks.isEmpty() || readySets.haveMarks();
    }

    /** Asks the channels, and forgets those that will report by themselves. */
    void ask() {
        readySets.take();
        UrmaSelectionKey key;
        while ((key = rechecks.poll()) != null) {
            heat(key);
        }
        hasToPoll = false;
        isOneReady = false;
        int stillHot = 0;
        for (int i = 0; i < hot.size(); i++) {
            UrmaSelectionKey next = hot.get(i);
            boolean isKnown = next.isRegistered();
            boolean isReady = isKnown && next.poll() != 0;
            boolean polls = isKnown && !isReady && next.hasToPoll();
            if (isReady || polls) {
                hot.set(stillHot++, next);
            } else {
                next.isHot = false;
            }
            isOneReady |= isReady;
            hasToPoll |= polls;
        }
        for (int i = hot.size() - 1; i >= stillHot; i--) { // a list of them all would be an object
            hot.remove(i);
        }
    }

    /** Whether one of those that were asked is ready, so that a selection does not wait. */
    boolean isOneReady() {
        return isOneReady;
    }

    /** Whether one of them will not report by itself, so that a selection waits for a short time only. */
    boolean haveToPoll() {
        return hasToPoll;
    }

    int size() {
        return hot.size();
    }

    UrmaSelectionKey get(int index) {
        return hot.get(index);
    }

    @Override
    public String toString() {
        return hot.size() + " keys to ask, " + readySets;
    }
}
