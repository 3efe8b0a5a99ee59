package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.HashSet;
import java.util.Set;

/**
 * Numbers of one kind of object in a context. A released number is reused only after all others were used, so that no
 * remote reference can still mean the old object (S4.5). Safe for any thread.
 */
public final class IdSpace {
    /** Numbers up to here are well known, and only assigned on request (S1.2). */
    public static final int LAST_WELL_KNOWN = 1023;

    private final String kind;
    private final int last;
    private final Set<Integer> taken = new HashSet<>(); // they may lie far apart
    private int next = LAST_WELL_KNOWN + 1;

    /**
     * Numbers up to {@code last}.
     *
     * @param kind of object, for messages
     * @param last largest number
     */
    public IdSpace(String kind, int last) {
        this.kind = kind;
        this.last = last;
    }

    /**
     * Takes a number.
     *
     * @param wanted this number, or 0 for any
     * @throws UrmaException EEXIST if the requested number is taken; ENOMEM if none is left
     */
    public synchronized int take(int wanted) {
        int id = wanted == 0 ? any() : wanted;
        if (!taken.add(id)) {
            throw new UrmaException(UrmaStatus.EEXIST, kind, "id " + id + " is taken");
        }
        return id;
    }

    private int any() {
        int id = next;
        for (int tried = 0; taken.contains(id); tried++) {
            if (tried > last - LAST_WELL_KNOWN) {
                throw new UrmaException(UrmaStatus.ENOMEM, kind, "all ids up to " + last + " are taken");
            }
            id = following(id);
        }
        next = following(id);
        return id;
    }

    private int following(int id) {
        return id >= last ? LAST_WELL_KNOWN + 1 : id + 1;
    }

    public synchronized void give(int id) {
        taken.remove(id);
    }
}
