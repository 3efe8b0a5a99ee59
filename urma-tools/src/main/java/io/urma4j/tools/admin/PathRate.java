package io.urma4j.tools.admin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How fast the counters of a path have grown from one sample to a later one. */
record PathRate(PathSample from, PathSample to) {
    /** Fields with a current value, which are no counters. */
    private static final Set<String> GAUGES = Set.of("window", "inFlight", "rttNanos", "rtoNanos");

    private static final Set<String> DESCRIPTION = Set.of("tpn", "peer", "peer_process", "state");

    private static final double NANOS = 1e9;

    /** The rates of the paths in both samples, the busiest first. */
    static List<PathRate> between(List<PathSample> before, List<PathSample> after) {
        Map<PathSample.Key, PathSample> earlier = new HashMap<>();
        before.forEach(sample -> earlier.put(sample.key(), sample));
        List<PathRate> rates = new ArrayList<>();
        for (PathSample sample : after) {
            PathSample from = earlier.get(sample.key());
            if (from != null) {
                rates.add(new PathRate(from, sample));
            }
        }
        rates.sort(Comparator.comparingDouble((PathRate rate) -> -rate.packets()));
        return rates;
    }

    private double packets() {
        return perSecond("sent") + perSecond("received");
    }

    double seconds() {
        return Math.max(1, to.atNanos() - from.atNanos()) / NANOS;
    }

    double perSecond(String counter) {
        return (to.value(counter) - from.value(counter)) / seconds();
    }

    /** The last value of a gauge. */
    long now(String gauge) {
        return to.value(gauge);
    }

    /** The share of retransmissions among the packets that were sent in this time. */
    double retransmittedPercent() {
        double sent = perSecond("sent");
        return sent <= 0 ? 0 : 100 * perSecond("retransmitted") / sent;
    }

    /** Whether the path is one of shared memory, and not of a network. */
    boolean isOfSharedMemory() {
        return to.path().fields().containsKey("ringFull");
    }

    /** All of it, for programs. */
    Map<String, Object> asMap() {
        Map<String, Object> rates = new LinkedHashMap<>();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", to.key().device());
        map.put("uasid", to.uasid());
        map.put("process", to.process());
        map.put("seconds", rounded(seconds()));
        ResourceTables.asMap(to.path()).forEach((name, value) -> {
            if (DESCRIPTION.contains(name) || GAUGES.contains(name)) {
                map.put(name, value);
            } else if (value instanceof Long) {
                rates.put(name, rounded(perSecond(name)));
            }
        });
        map.put("per_second", rates);
        return map;
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}
