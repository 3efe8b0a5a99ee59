package io.urma4j.socket.ring;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one selector looks at to learn which of its connections have something new: a set of ready words for each process that it
 * has connections with. Connections come and go in any thread; one at a time selects.
 */
public final class ReadySets {
    private static final Set[] NO_SETS = {};

    private volatile Set[] sets = NO_SETS; // replaced under this

    /** A set of the words of one peer, and what to do for each connection in it. */
    private static final class Set implements ReadyWords.Action {
        private final ReadyWords words;
        private final int number;
        private volatile @Nullable Runnable[] actions = new Runnable[16]; // by ring; changed under the lock of all sets
        private int members;

        Set(ReadyWords words, int number) {
            this.words = words;
            this.number = number;
        }

        /** A ring that was given back may have a new connection already. */
        void put(int ring, Runnable action) {
            @Nullable Runnable[] next = actions;
            if (ring >= next.length) {
                next = Arrays.copyOf(next, Math.max(ring + 1, 2 * next.length));
            }
            members += next[ring] == null ? 1 : 0;
            next[ring] = action;
            actions = next; // also publishes the element
        }

        void remove(int ring, Runnable action) {
            @Nullable Runnable[] present = actions;
            if (ring < present.length && action.equals(present[ring])) {
                present[ring] = null;
                members--;
            }
        }

        // memory whose peer has ended may be gone; its connections end by TCP

        boolean hasMarks() {
            try {
                return words.hasMarks(number);
            } catch (IllegalStateException e) {
                return false;
            }
        }

        void take() {
            try {
                words.clear(number, this);
            } catch (IllegalStateException e) {
                // as above
            }
        }

        void store(boolean asleep) {
            try {
                words.store(number, asleep);
            } catch (IllegalStateException e) {
                // as above
            }
        }

        @Override
        public void accept(int ring) {
            @Nullable Runnable[] present = actions;
            Runnable action = ring < present.length ? present[ring] : null;
            if (action != null) {
                action.run();
            }
        }
    }

    /** The peer marks this end from now on. {@code action} runs in {@link #take} for each mark; it takes no lock. */
    public synchronized void join(RingConnection connection, Runnable action) {
        ReadyPlace place = connection.readyPlace();
        Set set = place == null ? null : setOf(place.words());
        if (place != null && set != null) {
            set.put(place.ring(), action);
            connection.selectedBy(set.number);
        }
    }

    /** The peer rings from now on, for each thread that asks for it. */
    public synchronized void leave(RingConnection connection, Runnable action) {
        connection.selectedBy(ReadyWords.NONE);
        ReadyPlace place = connection.readyPlace();
        for (Set set : sets) {
            if (place != null && set.words == place.words()) {
                set.remove(place.ring(), action);
                giveBackIfUnused(set);
            }
        }
    }

    private @Nullable Set setOf(ReadyWords words) {
        for (Set set : sets) {
            if (set.words == words) {
                return set;
            }
        }
        int number = words.take();
        if (number == ReadyWords.NONE) {
            return null;
        }
        Set made = new Set(words, number);
        made.store(false); // marks of the selector that had it may be there, which cost a look
        Set[] more = Arrays.copyOf(sets, sets.length + 1);
        more[sets.length] = made;
        sets = more;
        return made;
    }

    private void giveBackIfUnused(Set unused) {
        if (unused.members == 0) {
            sets = Arrays.stream(sets).filter(set -> set != unused).toArray(Set[]::new);
            unused.words.giveBack(unused.number);
        }
    }

    /** Whether {@link #take} may find some. */
    public boolean haveMarks() {
        for (Set set : sets) {
            if (set.hasMarks()) {
                return true;
            }
        }
        return false;
    }

    /** Runs the actions of the connections that are marked. */
    public void take() {
        if (haveMarks()) {
            takeAll();
        }
    }

    /** Locked, as are all stores to a set: another selector may have it, once it is given back. */
    private synchronized void takeAll() {
        for (Set set : sets) {
            set.take();
        }
    }

    /**
     * The caller is going to sleep, and calls {@link #awake} afterwards. Connections that join meanwhile have to wake it.
     *
     * @return whether it may; else a connection is marked
     */
    public boolean asleep() {
        if (sets.length > 0) {
            store(true);
            VarHandle.fullFence(); // a peer marks, and then looks whether this selector sleeps
        }
        return !haveMarks();
    }

    /** The caller takes all marks before it sleeps again. */
    public void awake() {
        if (sets.length > 0) {
            store(false);
        }
    }

    private synchronized void store(boolean asleep) {
        for (Set set : sets) {
            set.store(asleep);
        }
    }

    @Override
    public String toString() {
        return "ready words of " + sets.length + " peers";
    }
}
