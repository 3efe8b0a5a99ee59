package io.urma4j.simulation;

import io.urma4j.udma.command.ConnectionStats;
import io.urma4j.udma.command.NamedCounter;

/** What the connections have counted that are open at the end of a run. */
record ConnectionTotals(long received, long predicted, long sentAtOnce) {
    /** Sums them, and adds each counter to the digest, but for those of prediction. */
    static ConnectionTotals of(Iterable<Life> lives, Digest digest) {
        long received = 0;
        long predicted = 0;
        long sentAtOnce = 0;
        for (Life life : lives) {
            for (int connection : life.connections) {
                ConnectionStats stats = life.card.connectionStats(connection);
                if (stats == null) {
                    continue;
                }
                for (NamedCounter counter : stats.counters()) {
                    switch (counter.name()) {
                        case "predicted" -> predicted += counter.value();
                        case "sentAtOnce" -> sentAtOnce += counter.value();
                        default -> digest.add(counter.value());
                    }
                    received += counter.name().equals("received") ? counter.value() : 0;
                }
            }
        }
        return new ConnectionTotals(received, predicted, sentAtOnce);
    }
}
