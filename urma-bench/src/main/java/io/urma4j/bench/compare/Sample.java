package io.urma4j.bench.compare;

import io.urma4j.bench.PredictedPackets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What one run of one peer gave: as a line, {@code mean=25.10 p50=24.00}. */
public final class Sample {
    private final Map<Metric, Double> nanos = new EnumMap<>(Metric.class);
    private PredictedPackets packets = PredictedPackets.NONE;

    /** A sample of a mean alone. */
    public static Sample mean(double nanos) {
        return new Sample().with(Metric.MEAN, nanos);
    }

    /**
     * Parses such a line; ignores words that are no metric.
     *
     * @throws IllegalArgumentException when there is no metric in it, or no number where one belongs
     */
    public static Sample parse(String line) {
        Sample sample = new Sample();
        for (String word : line.strip().split("\\s+", -1)) {
            for (Metric metric : Metric.values()) {
                String key = metric.name().toLowerCase(Locale.ROOT) + "=";
                if (word.startsWith(key)) {
                    sample.with(metric, Double.parseDouble(word.substring(key.length())));
                }
            }
        }
        if (sample.nanos.isEmpty()) {
            throw new IllegalArgumentException("no figure in '" + line.strip() + "'");
        }
        return sample;
    }

    /** Takes a figure in; one that is no positive number would make ratios of nothing. */
    public Sample with(Metric metric, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(metric + " of " + value + " ns");
        }
        nanos.put(metric, value);
        return this;
    }

    /** Takes in what both sides have received. */
    Sample with(PredictedPackets received) {
        packets = received;
        return this;
    }

    PredictedPackets packets() {
        return packets;
    }

    boolean has(Metric metric) {
        return nanos.containsKey(metric);
    }

    /** The figure; not a number when this run did not report it. */
    public double nanos(Metric metric) {
        return nanos.getOrDefault(metric, Double.NaN);
    }

    @Override
    public String toString() {
        return nanos.entrySet().stream()
                .map(entry -> String.format(
                        Locale.ROOT, "%s=%.2f", entry.getKey().name().toLowerCase(Locale.ROOT), entry.getValue()))
                .collect(Collectors.joining(" "));
    }
}
