package io.urma4j.buffer;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Open windows, by what a {@link RemoteBuf} says of them, and in the order of their last use. Under the lock of its {@link
 * OpenHomes}.
 *
 * <p>A window is equal to another if key and segment are. To compare all of that can take longer than a short copy, so the last
 * windows are also found by the object that named them.
 */
final class WindowsByUse {
    private static final int RECENT = 256; // a power of two

    private final Map<RemoteBuf.Window, OpenWindow> byKey = new HashMap<>();
    private final RemoteBuf.@Nullable Window[] recentKeys = new RemoteBuf.Window[RECENT];
    private final @Nullable OpenWindow[] recent = new OpenWindow[RECENT]; // of the keys at the same place
    private @Nullable OpenWindow oldest;
    private @Nullable OpenWindow newest;

    int size() {
        return byKey.size();
    }

    /** The open window that a buffer names, which counts as used now; null if there is none. */
    @Nullable
    @SuppressWarnings("ReferenceEquality") // another object with the same values is found by its hash
    OpenWindow find(RemoteBuf.Window key) {
        int place = System.identityHashCode(key) & (RECENT - 1);
        OpenWindow found = recent[place];
        if (found == null || recentKeys[place] != key || found.dropped) {
            found = byKey.get(key);
            recent[place] = found;
            recentKeys[place] = found == null ? null : key;
        }
        if (found != null && found != newest) {
            unlink(found);
            linkNewest(found);
        }
        return found;
    }

    void add(OpenWindow window) {
        byKey.put(window.key, window);
        linkNewest(window);
    }

    /** It is found no more. */
    void drop(OpenWindow window) {
        window.dropped = true;
        byKey.remove(window.key);
        unlink(window);
    }

    /** The one that was not used for longest, among those that are not in use; null if there is none. */
    @Nullable
    OpenWindow oldestUnused() {
        OpenWindow window = oldest;
        while (window != null && window.users > 0) {
            window = window.newer;
        }
        return window;
    }

    /** The first in the order of use, for a walk by {@link OpenWindow#newer}. */
    @Nullable
    OpenWindow oldest() {
        return oldest;
    }

    private void linkNewest(OpenWindow window) {
        window.older = newest;
        window.newer = null;
        if (newest == null) {
            oldest = window;
        } else {
            newest.newer = window;
        }
        newest = window;
    }

    private void unlink(OpenWindow window) {
        OpenWindow older = window.older;
        OpenWindow newer = window.newer;
        if (older == null) {
            oldest = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
    }

    @Override
    public String toString() {
        return byKey.size() + " windows";
    }
}
