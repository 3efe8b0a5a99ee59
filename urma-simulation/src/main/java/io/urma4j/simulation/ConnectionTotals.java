package io.urma4j.simulation;

import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.command.NamedCounter;

/** What the connections have counted that are open at the end of a run. */
record ConnectionTotals(long received, long predicted) {
    private static final String RECEIVED = "received";
    private static final String PREDICTED = "predicted";

    /** Sums them, and adds each counter to the digest, but for that of predicted packets. */
    static ConnectionTotals of(Iterable<Life> lives, Digest digest) {
        long received = 0;
        long predicted = 0;
        for (Life life : lives) {
            for (int connection : life.connections) {
                ConnectionStats stats = life.card.connectionStats(connection);
                if (stats == null) {
                    continue;
                }
                for (NamedCounter counter : stats.counters()) {
                    if (counter.name().equals(PREDICTED)) {
                        predicted += counter.value();
                    } else {
                        digest.add(counter.value());
                    }
                    received += counter.name().equals(RECEIVED) ? counter.value() : 0;
                }
            }
        }
        return new ConnectionTotals(received, predicted);
    }
}
