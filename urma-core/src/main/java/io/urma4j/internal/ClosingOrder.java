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
    private final Object owner;
    private final Map<AutoCloseable, Integer> rankOf = new LinkedHashMap<>();
    private boolean ended;

    /** The children of {@code owner}, whose {@code toString} names it in messages. */
    public ClosingOrder(Object owner) {
        this.owner = owner;
    }

    /**
     * Adds a child; lower ranks are closed first. When the owner was closed while the child was made, the child is
     * closed, too, and the call refused with EINVAL "is closed".
     */
    public <T extends AutoCloseable> T add(T child, int rank) {
        if (!tryAdd(child, rank)) {
            UrmaException refusal = Checks.closed(owner);
            try {
                child.close();
            } catch (Exception e) {
                refusal.addSuppressed(e);
            }
            throw refusal;
        }
        return child;
    }

    /** Adds a child, unless {@link #closeAll} has begun: then the caller must end it. */
    public synchronized boolean tryAdd(AutoCloseable child, int rank) {
        if (!ended) {
            rankOf.put(child, rank);
        }
        return !ended;
    }

    public synchronized void remove(AutoCloseable child) {
        rankOf.remove(child);
    }

    /** The children in the order in which they are to be closed. None is added from now on. */
    private synchronized List<AutoCloseable> end() {
        ended = true;
        List<AutoCloseable> children = new ArrayList<>(new ArrayList<>(rankOf.keySet()).reversed());
        children.sort(Comparator.comparing(child -> rankOf.getOrDefault(child, 0)));
        return children;
    }

    /**
     * Closes all children, whatever fails, and takes no more.
     *
     * @return the first failure with the others suppressed in it, or null
     */
    public @Nullable RuntimeException closeAll() {
        RuntimeException failure = null;
        for (AutoCloseable child : end()) {
            try {
                child.close();
            } catch (Exception e) {
                RuntimeException wrapped = e instanceof RuntimeException r ? r : new IllegalStateException(e);
                if (failure == null) {
                    failure = wrapped;
                } else if (!failure.equals(wrapped)) {
                    failure.addSuppressed(wrapped);
                }
            }
            remove(child);
        }
        return failure;
    }

    /** Refuses with EAGAIN, naming the open children, when there are any. */
    public synchronized void checkEmpty() {
        if (!rankOf.isEmpty()) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN,
                    owner,
                    "cannot be closed, still open: "
                            + rankOf.keySet().stream().map(Object::toString).collect(Collectors.joining(", ")));
        }
    }
}
