package io.urma4j.udma.device;

import java.util.HashMap;
import java.util.Map;

/**
 * How many keys of an owner each peer has. A SEND_INVALIDATE searches the table of keys only if that ends one: a peer that
 * repeats it would make the card search at each message.
 */
final class KeyHolders {
    private static final long NONE = 0; // of owners, and of peers

    private final Map<Holder, Counts> counts = new HashMap<>(); // of holders with a key

    private record Holder(long owner, int peer) {}

    private static final class Counts {
        int whole;
        int windows;
    }

    /** A key begins or ends. */
    void count(long owner, int peer, boolean isWindow, int difference) {
        if (owner == NONE || peer == NONE) {
            return;
        }
        Holder holder = new Holder(owner, peer);
        Counts of = counts.computeIfAbsent(holder, _ -> new Counts());
        if (isWindow) {
            of.windows += difference;
        } else {
            of.whole += difference;
        }
        assert of.whole >= 0 && of.windows >= 0 : holder;
        if (of.whole == 0 && of.windows == 0) {
            counts.remove(holder);
        }
    }

    /** Whether the peer has a key of a segment that opens as a whole. */
    boolean hasWhole(long owner, int peer) {
        Counts of = counts.get(new Holder(owner, peer));
        return of != null && of.whole > 0;
    }

    /** Whether it has a window of a windows-only segment. */
    boolean hasWindow(long owner, int peer) {
        Counts of = counts.get(new Holder(owner, peer));
        return of != null && of.windows > 0;
    }

    int size() {
        return counts.size();
    }
}
