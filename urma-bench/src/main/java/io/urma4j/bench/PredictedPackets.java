package io.urma4j.bench;

import io.urma4j.UrmaContext;
import java.util.Locale;

/**
 * Packets that the paths of a context have received.
 *
 * @param received all of them
 * @param predicted those that were expected, and took the short way of header prediction
 */
public record PredictedPackets(long received, long predicted) {
    /** None at all. */
    public static final PredictedPackets NONE = new PredictedPackets(0, 0);

    /** Those so far, to and from all peers; none on a device that does not count them. */
    public static PredictedPackets of(UrmaContext context) {
        return new PredictedPackets(counted(context, "received"), counted(context, "predicted"));
    }

    private static long counted(UrmaContext context, String name) {
        return context.paths().stream()
                .mapToLong(path -> path.counters().asMap().getOrDefault(name, 0L))
                .sum();
    }

    /** Both together. */
    public PredictedPackets plus(PredictedPackets other) {
        return new PredictedPackets(received + other.received, predicted + other.predicted);
    }

    /** Those since then. */
    public PredictedPackets minus(PredictedPackets before) {
        return new PredictedPackets(received - before.received, predicted - before.predicted);
    }

    @Override
    public String toString() {
        double percent = received == 0 ? 0 : 100.0 * predicted / received;
        return String.format(Locale.ROOT, "predicted: %.2f %% of %,d packets received", percent, received);
    }
}
