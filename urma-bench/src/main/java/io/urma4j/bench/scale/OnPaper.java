package io.urma4j.bench.scale;

import java.util.List;
import java.util.Locale;

/** What the last row of {@link SimulatedCurve} means for more hosts than it had: arithmetic, and said to be that. */
final class OnPaper {
    private static final List<String> COLUMNS =
            List.of("connections a host", "heap MiB a host", "messages/s a core", "ms to write to all");
    private static final int[] HOSTS = {1_000, 10_000, 100_000};
    private static final double MIB = 1 << 20;

    private OnPaper() {}

    /** Each host connected with each other one, by one context each. */
    static Curve of(Curve simulated) {
        double connectionBytes = simulated.last(SimulatedCurve.USED);
        double messageNanos = simulated.last(SimulatedCurve.HUB);
        Curve curve = new Curve(
                "on-paper-udma",
                "On paper, not measured: hosts of which each is connected with each other one",
                "hosts",
                COLUMNS);
        for (int hosts : HOSTS) {
            long connections = hosts - 1L;
            curve.add(
                    hosts,
                    (double) connections,
                    connections * connectionBytes / MIB,
                    1e9 / messageNanos,
                    connections * messageNanos / 1e6);
        }
        curve.note(String.format(
                Locale.ROOT,
                "From the row of %,d simulated peers: %,.0f bytes a connection and %,.0f ns a WRITE, taken to stay so. System"
                        + " calls, the kernel's buffers and the network come on top; both ends' heap counts as one's.",
                simulated.lastCount(),
                connectionBytes,
                messageNanos));
        return curve;
    }
}
