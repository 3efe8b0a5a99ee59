package io.urma4j.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The only clock of a simulated run, and all that is still to happen. What happens at one time happens in the order of asking. */
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

    /** How many events there were. */
    long happened() {
        return happened;
    }

    /** What is asked for a time that has passed happens next. */
    void at(long nanos, Runnable what) {
        events.add(new Event(Math.max(now, nanos), order++, what));
    }

    void after(long nanos, Runnable what) {
        at(now + nanos, what);
    }

    /** Lets the next thing happen; false when there is nothing more. */
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
