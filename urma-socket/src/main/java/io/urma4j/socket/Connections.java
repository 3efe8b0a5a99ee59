package io.urma4j.socket;

import io.urma4j.Resource;
import io.urma4j.socket.ring.SpinUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;

/**
 * The connections of a process, and its selectors, for {@code urma sockets}. One that the program has lost leaves by itself. Safe
 * for any thread.
 */
final class Connections {
    /** What has a row, or none just now. */
    interface Row {
        Optional<Resource> describe(long number);
    }

    private final Map<Row, Long> numbers = new WeakHashMap<>(); // as the one below guarded by this
    private long last;

    synchronized void add(Row row) {
        numbers.putIfAbsent(row, ++last);
    }

    synchronized void remove(Row row) {
        numbers.remove(row);
    }

    List<Resource> resources() {
        Map<Row, Long> now;
        synchronized (this) {
            now = Map.copyOf(numbers);
        }
        List<Resource> rows = new ArrayList<>();
        now.forEach((row, number) -> row.describe(number).ifPresent(rows::add));
        return rows;
    }

    /** Adds how often the owner of the row has spun, and what that took. */
    static Resource.Builder describe(Resource.Builder row, SpinUse use) {
        return row.add("spins", use.spins()).add("spins_won", use.won()).add("spin_us", use.nanos() / 1000);
    }

    @Override
    public synchronized String toString() {
        return numbers.size() + " connections and selectors";
    }
}
