package io.urma4j.bench;

import java.util.Locale;

/** How many of the packets that an end has received were expected, and took the short way of header prediction. */
final class PredictedShare {
    private final RallyEnd end;
    private long received;
    private long predicted;

    PredictedShare(RallyEnd end) {
        this.end = end;
    }

    /** A line about the packets since the last one. */
    String next() {
        long receivedBefore = received;
        long predictedBefore = predicted;
        received = end.counted("received");
        predicted = end.counted("predicted");
        long packets = received - receivedBefore;
        double percent = packets == 0 ? 0 : 100.0 * (predicted - predictedBefore) / packets;
        return String.format(Locale.ROOT, "  predicted: %.2f %% of %,d packets received", percent, packets);
    }
}
