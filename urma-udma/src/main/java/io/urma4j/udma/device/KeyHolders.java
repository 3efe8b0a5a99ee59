package io.urma4j.udma.device;

import java.util.HashMap;
import java.util.Map;

/**
 * How many keys of an owner each peer has. A SEND_INVALIDATE searches the table of keys only if that ends one: a peer that
 * repeats it would make the card search at each message.
 */
final class KeyHolders {
    private static final long NONE = 0; // of owners, and of peers

    private final Map<Holder, Integer> counts = new HashMap<>(); // of holders with a key

    /** @param ofWindows whether its windows are counted, or its keys of segments that open as a whole */
    private record Holder(long owner, int peer, boolean ofWindows) {}

    /** A key begins or ends. */
    void count(long owner, int peer, boolean isWindow, int difference) {
        if (owner == NONE || peer == NONE) {
            return;
        }
        Holder holder = new Holder(owner, peer, isWindow);
        int count = counts.getOrDefault(holder, 0) + difference;
        assert count >= 0 : holder;
        if (count == 0) {
            counts.remove(holder);
        } else {
            counts.put(holder, count);
        }
    }

    /** Whether the peer has a key of a segment that opens as a whole. */
    boolean hasWhole(long owner, int peer) {
        return counts.containsKey(new Holder(owner, peer, /* ofWindows= */ false));
    }

    /** Whether it has a window of a windows-only segment. */
    boolean hasWindow(long owner, int peer) {
        return counts.containsKey(new Holder(owner, peer, /* ofWindows= */ true));
    }

    int size() {
        return counts.size();
    }
}
