package io.urma4j.shm;

import io.urma4j.Counters;
import java.util.Set;

/** How many datagrams a queue has lost, by reason. The owner ensures that one thread at a time counts. */
@SuppressWarnings("EnumOrdinal") // to count by an EnumMap would allocate
final class DropCounts {
    private static final int REASONS = Drop.values().length;

    private final long[] counts = new long[REASONS];

    void count(Drop reason) {
        counts[reason.ordinal()]++;
    }

    /** All of them as {@code dropped}, and each of {@code reasons} by its name. */
    Counters.Builder addTo(Counters.Builder counters, Set<Drop> reasons) {
        counters.add("dropped", reasons.stream().mapToLong(this::of).sum());
        reasons.forEach(reason -> counters.add(reason.counter, of(reason)));
        return counters;
    }

    private long of(Drop reason) {
        return counts[reason.ordinal()];
    }
}
