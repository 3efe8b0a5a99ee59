package io.urma4j.internal;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The open children of an object, and the order in which they can be closed: users before what they use, later ones
 * before earlier ones. Safe for any thread.
 */
public final class ClosingOrder {
    private final Map<AutoCloseable, Integer> rankOf = new LinkedHashMap<>();

    /** Adds a child; lower ranks are closed first. */
    public synchronized <T extends AutoCloseable> T add(T child, int rank) {
        rankOf.put(child, rank);
        return child;
    }

    public synchronized void remove(AutoCloseable child) {
        rankOf.remove(child);
    }

    /** The children in the order in which they are to be closed. */
    private synchronized List<AutoCloseable> inOrder() {
        List<AutoCloseable> children = new ArrayList<>(rankOf.keySet()).reversed();
        children = new ArrayList<>(children);
        children.sort(Comparator.comparing(child -> rankOf.getOrDefault(child, 0)));
        return children;
    }

    /**
     * Closes all children, whatever fails.
     *
     * @return the first failure with the others suppressed in it, or null
     */
    public @Nullable RuntimeException closeAll() {
        RuntimeException failure = null;
        for (AutoCloseable child : inOrder()) {
            try {
                child.close();
            } catch (Exception e) {
                RuntimeException wrapped = e instanceof RuntimeException r ? r : new IllegalStateException(e);
                if (failure == null) {
                    failure = wrapped;
                } else {
                    failure.addSuppressed(wrapped);
                }
            }
            remove(child);
        }
        return failure;
    }

    /** Refuses with EAGAIN, naming the open children, when there are any. */
    public synchronized void checkEmpty(Object owner) {
        if (!rankOf.isEmpty()) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN,
                    owner,
                    "cannot be closed, still open: "
                            + rankOf.keySet().stream().map(Object::toString).collect(Collectors.joining(", ")));
        }
    }
}
