package io.urma4j.internal;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.support.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The open children of an object, and the order in which they can be closed: users before what they use, later ones
 * before earlier ones. Safe for any thread.
 */
public final class ClosingOrder {
    private static final long RETRY_NANOS = 1_000_000;

    private final Object owner;
    private final Map<AutoCloseable, Place> places = new LinkedHashMap<>();
    private boolean ended;

    /**
     * Where a child stands.
     *
     * @param begin begins its end without waiting for it; does nothing when it cannot end now
     */
    private record Place(int rank, Runnable begin) {}

    /** The children of {@code owner}, whose {@code toString} names it in messages. */
    public ClosingOrder(Object owner) {
        this.owner = owner;
    }

    /**
     * Adds a child; lower ranks are closed first. When the owner was closed while the child was made, the child is
     * closed, too, and the call refused with EINVAL "is closed".
     */
    public <T extends AutoCloseable> T add(T child, int rank) {
        if (!tryAdd(child, rank, () -> {})) {
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

    /**
     * Adds a child whose end takes a while, unless {@link #closeAll} has begun: then the caller must end it.
     *
     * @param begin begins it without waiting; so all of a rank end side by side, and {@code close} waits for the result
     */
    public synchronized boolean tryAdd(AutoCloseable child, int rank, Runnable begin) {
        if (!ended) {
            places.put(child, new Place(rank, begin));
        }
        return !ended;
    }

    /** The open children, oldest first. */
    public synchronized List<AutoCloseable> snapshot() {
        return List.copyOf(places.keySet());
    }

    public synchronized void remove(AutoCloseable child) {
        places.remove(child);
    }

    /** The children by rank, each in the order in which they are to be closed. None is added from now on. */
    private synchronized Collection<Map<AutoCloseable, Runnable>> end() {
        ended = true;
        SortedMap<Integer, Map<AutoCloseable, Runnable>> byRank = new TreeMap<>();
        new ArrayList<>(places.entrySet())
                .reversed()
                .forEach(child -> byRank.computeIfAbsent(child.getValue().rank, any -> new LinkedHashMap<>())
                        .put(child.getKey(), child.getValue().begin));
        return byRank.values();
    }

    /** {@link #closeAll(Duration)} without patience. */
    public @Nullable RuntimeException closeAll() {
        return closeAll(Duration.ZERO);
    }

    /**
     * Closes all children, whatever fails, and takes no more.
     *
     * @param patience for children that something holds which is no child: it was being made when this began, and ends by
     *     itself
     * @return the first failure with the others suppressed in it, or null
     */
    public @Nullable RuntimeException closeAll(Duration patience) {
        long deadlineNanos = Nanos.deadlineAfter(patience);
        RuntimeException failure = null;
        for (Map<AutoCloseable, Runnable> rank : end()) {
            rank.values().forEach(ClosingOrder::begin);
            for (AutoCloseable child : rank.keySet()) {
                try {
                    close(child, deadlineNanos);
                } catch (Exception e) {
                    failure = joined(failure, e);
                }
                remove(child);
            }
        }
        return failure;
    }

    /** Throws what {@link #closeAll} found, if anything. */
    public static void throwIfFailed(@Nullable RuntimeException failure) {
        if (failure != null) {
            throw failure;
        }
    }

    private static void close(AutoCloseable child, long deadlineNanos) throws Exception {
        while (true) {
            try {
                child.close();
                return;
            } catch (UrmaException e) {
                if (e.status() != UrmaStatus.EAGAIN || deadlineNanos - System.nanoTime() <= 0) {
                    throw e;
                }
                Pause.nanos(child, RETRY_NANOS);
            }
        }
    }

    private static void begin(Runnable begin) {
        try {
            begin.run();
        } catch (RuntimeException e) {
            // close() says it
        }
    }

    /** The first failure, with a later one suppressed in it. */
    public static RuntimeException joined(@Nullable RuntimeException first, Exception next) {
        RuntimeException wrapped = next instanceof RuntimeException r ? r : new IllegalStateException(next);
        if (first == null) {
            return wrapped;
        }
        if (!first.equals(wrapped)) {
            first.addSuppressed(wrapped);
        }
        return first;
    }

    /** Takes no more children from now on; refuses with EAGAIN, naming the open ones, when there are any. */
    public synchronized void endIfEmpty() {
        if (!places.isEmpty()) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN,
                    owner,
                    "cannot be closed, still open: "
                            + places.keySet().stream().map(Object::toString).collect(Collectors.joining(", ")));
        }
        ended = true;
    }
}
