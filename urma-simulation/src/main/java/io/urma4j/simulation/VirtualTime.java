package io.urma4j.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The only clock of a simulated run, with all pending events. Events of the same time run in the order of their
 * scheduling.
 */
final class VirtualTime {
    private static final Comparator<Event> IN_ORDER =
            Comparator.comparingLong(Event::at).thenComparingLong(Event::order);

    private final PriorityQueue<Event> events = new PriorityQueue<>(IN_ORDER);
    private long now;
    private long order;
    private long happened;

    private record Event(long at, long order, Runnable what) {}

    long now() {
        return now;
    }

    /** The number of events so far. */
    long happened() {
        return happened;
    }

    /** Schedules an event; one for a time in the past runs next. */
    void at(long nanos, Runnable what) {
        events.add(new Event(Math.max(now, nanos), order++, what));
    }

    void after(long nanos, Runnable what) {
        at(now + nanos, what);
    }

    /** Runs the next event; false when there is none. */
    boolean next() {
        @Nullable Event event = events.poll();
        if (event == null) {
            return false;
        }
        now = event.at;
        happened++;
        event.what.run();
        return true;
    }
}
