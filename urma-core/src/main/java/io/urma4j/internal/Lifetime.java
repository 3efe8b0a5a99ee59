package io.urma4j.internal;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether an object is open, and its holders (SEMANTICS §4). Safe for any thread.
 *
 * <p>A dependent {@linkplain #retain retains} what it needs before it exists, and releases it after its own end; so an
 * object cannot end under its dependents, and a failed call is undone by the matching release.
 */
public final class Lifetime {
    private final Object owner;
    private final Set<Object> holders = Collections.newSetFromMap(new IdentityHashMap<>());
    private volatile boolean closed;
    private @Nullable Runnable lastRelease; // guarded by this; of one that was closed with holders

    /** The life of {@code owner}, whose {@code toString} names it in messages. */
    public Lifetime(Object owner) {
        this.owner = owner;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Refuses with EINVAL "is closed". */
    public void checkOpen() {
        if (closed) {
            throw Checks.closed(owner);
        }
    }

    /** Makes {@code holder} a reason not to end; EINVAL when already closed. */
    public synchronized void retain(Object holder) {
        checkOpen();
        holders.add(holder);
    }

    /** Ends a hold; of an object that was closed with holders, the last one cleans up. */
    public void release(Object holder) {
        Runnable cleanUp = null;
        synchronized (this) {
            if (holders.remove(holder) && holders.isEmpty()) {
                cleanUp = lastRelease;
                lastRelease = null;
            }
        }
        if (cleanUp != null) {
            cleanUp.run();
        }
    }

    /**
     * Makes an object that needs others: they are retained while it is made, and by the object from then on.
     *
     * @param pending names it in messages until it exists
     */
    public static <T> T retaining(List<Lifetime> needed, String pending, Supplier<T> making) {
        Object holder = new Object() {
            @Override
            public String toString() {
                return pending;
            }
        };
        try {
            needed.forEach(life -> life.retain(holder));
            T made = making.get();
            needed.forEach(life -> life.retain(made));
            return made;
        } finally {
            needed.forEach(life -> life.release(holder));
        }
    }

    public synchronized boolean isHeld() {
        return !holders.isEmpty();
    }

    /**
     * Ends the life.
     *
     * @return true for the one caller who ended it and now cleans up; false when it had ended before
     * @throws UrmaException EAGAIN while it has holders, naming them
     */
    public synchronized boolean end() {
        if (closed) {
            return false;
        }
        if (!holders.isEmpty()) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN,
                    owner,
                    "cannot be closed, still used by "
                            + holders.stream().map(Object::toString).sorted().collect(Collectors.joining(", ")));
        }
        closed = true;
        return true;
    }

    /** Undoes the end, by the one caller who ended it and could not clean up: another close may try again. */
    public synchronized void reopen() {
        closed = false;
    }

    /**
     * Ends the life unless it has holders.
     *
     * @return true for the one caller who ended it and now cleans up
     */
    public synchronized boolean endUnlessHeld() {
        if (closed || !holders.isEmpty()) {
            return false;
        }
        closed = true;
        return true;
    }

    /**
     * Ends the life also while it has holders; it takes no new ones.
     *
     * @param whenReleased runs on the thread that releases the last of them; must not throw
     * @return true for the one caller who ended it without holders and now cleans up
     */
    public synchronized boolean endWithHolders(Runnable whenReleased) {
        if (closed) {
            return false;
        }
        closed = true;
        if (holders.isEmpty()) {
            return true;
        }
        lastRelease = whenReleased;
        return false;
    }
}
