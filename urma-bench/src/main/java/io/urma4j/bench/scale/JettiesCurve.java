package io.urma4j.bench.scale;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Loopback;
import io.urma4j.bench.scale.Scale.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a Jetty with its JFR when there are many: to create and close one, and to post to each in turn with a
 * poll for each record. Also the cost of an empty poll, with nothing in flight, and while one Jetty waits for its
 * receiver. The number of Jetties of a context is limited: more of them are spread over several contexts.
 */
final class JettiesCurve {
    private static final List<String> COLUMNS = List.of(
            "create ns",
            "post+poll ns",
            "empty poll ns",
            "empty poll ns, one waits",
            "close ns",
            "heap B",
            "native B",
            "descriptors",
            "mappings");
    private static final int CHUNK = 256;
    private static final int POLL_CHUNK = 64; // the more Jetties there are, the longer it may take
    private static final int WARM_UP_JETTIES = 100;
    private static final int WARM_UPS = 2;

    private final Run run;
    private final String device;

    JettiesCurve(Run run, String device) {
        this.run = run;
        this.device = device;
    }

    /** Measures each number of Jetties, as far as the machine goes. */
    Curve measure() {
        Curve curve = new Curve(
                "jetties-" + Run.family(device),
                "Jetties on " + device + ", each with a JFR, depth " + JettyDock.DEPTH
                        + "; one JFC a context; per Jetty",
                "Jetties",
                COLUMNS);
        try (Urma urma = Urma.open(Loopback.options());
                UrmaContext homeContext = urma.device(device).openContext()) {
            var home = new JettyDock.Home(homeContext);
            for (int i = 0; i < WARM_UPS; i++) {
                measure(null, urma, home, WARM_UP_JETTIES); // compiled before the first row
            }
            double[] each = null;
            for (int count : Run.counts(10, run.extent().jetties())) {
                Optional<String> refusal =
                        each == null ? Optional.empty() : Room.now().refusal(count, Footprint.now(), each);
                if (refusal.isPresent()) {
                    curve.note(refusal.get());
                    break;
                }
                Run.tell(curve.name() + " " + count);
                each = measure(curve, urma, home, count);
            }
        }
        return curve;
    }

    private double[] measure(@Nullable Curve curve, Urma urma, JettyDock.Home home, int count) {
        List<JettyDock> docks = new ArrayList<>();
        try {
            int perContext = urma.device(device).attributes().limits().jettiesPerContext();
            for (int left = count; left > 0; left -= perContext) {
                docks.add(new JettyDock(urma.device(device).openContext(), home, Math.min(left, perContext)));
            }
            if (curve != null && docks.size() > 1) {
                curve.note(count + " Jetties are those of " + docks.size() + " contexts: one has at most " + perContext
                        + ".");
            }
            return measure(curve, docks, count);
        } finally {
            docks.forEach(JettyDock::close);
        }
    }

    private double[] measure(@Nullable Curve curve, List<JettyDock> docks, int count) {
        Footprint before = Footprint.now();
        long create = docks.stream().mapToLong(JettyDock::open).sum();
        double[] each = Footprint.now().perThing(before, count);
        double post = run.pace().nanos(CHUNK, times -> docks.forEach(dock -> dock.post(times))) / docks.size();
        double poll = polls(docks);
        docks.forEach(JettyDock::beginWaiting);
        double pollWhileOneWaits = polls(docks);
        docks.forEach(JettyDock::endWaiting);
        long close = docks.stream().mapToLong(JettyDock::closeJetties).sum();
        if (curve != null) {
            curve.add(
                    count,
                    (double) create / count,
                    post,
                    poll,
                    pollWhileOneWaits,
                    (double) close / count,
                    each[0],
                    each[1],
                    each[2],
                    each[3]);
        }
        return each;
    }

    private double polls(List<JettyDock> docks) {
        return run.pace().nanos(POLL_CHUNK, times -> docks.forEach(dock -> dock.poll(times))) / docks.size();
    }
}
