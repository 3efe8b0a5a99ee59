package io.urma4j.bench.scale;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.scale.Scale.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a Jetty with its JFR costs when there are many: to make and to close, to post to in turn with a poll for each
 * record, and what a poll that finds nothing costs meanwhile. A context takes a limited number: beyond, there are several.
 */
final class JettiesCurve {
    private static final List<String> COLUMNS = List.of(
            "create ns", "post+poll ns", "empty poll ns", "close ns", "heap B", "native B", "descriptors", "mappings");
    private static final int DEPTH = 4;
    private static final long BYTES = 4096;
    private static final int CHUNK = 256;
    private static final int FULL_CHUNK = 64; // polls, which cost more the more there is

    private final Run run;
    private final String device;

    JettiesCurve(Run run, String device) {
        this.run = run;
        this.device = device;
    }

    Curve measure() {
        Curve curve = new Curve(
                "jetties-" + Run.family(device),
                "Jetties on " + device + ", each with a JFR, depth " + DEPTH + "; one JFC a context; per Jetty",
                "Jetties",
                COLUMNS);
        try (Urma urma = Run.open(device);
                UrmaContext home = urma.device(device).openContext()) {
            LocalSegment target = home.register(home.allocate(BYTES), Access.READ_WRITE);
            SharedSegment line = SharedSegment.parse(target.share());
            int perContext = urma.device(device).attributes().limits().jettiesPerContext();
            for (int i = 0; i < 2; i++) {
                measure(null, urma, line, 100, perContext, Footprint.now()); // compiled before the first row
            }
            double[] each = null;
            for (int count : Run.counts(10, run.extent().jetties())) {
                Footprint before = Footprint.now();
                Optional<String> refusal =
                        each == null ? Optional.empty() : Room.now().refusal(count, before, each);
                if (refusal.isPresent()) {
                    curve.note(refusal.get());
                    break;
                }
                Run.tell(curve.name() + " " + count);
                each = measure(curve, urma, line, count, perContext, before);
                if (count > perContext) {
                    curve.note(count + " Jetties are those of " + (count + perContext - 1) / perContext
                            + " contexts: one has at most " + perContext + ".");
                }
            }
        }
        return curve;
    }

    private double[] measure(
            @Nullable Curve curve, Urma urma, SharedSegment line, int count, int perContext, Footprint before) {
        List<Dock> docks = new ArrayList<>();
        try {
            for (int left = count; left > 0; left -= perContext) {
                docks.add(new Dock(urma.device(device).openContext(), line, Math.min(left, perContext)));
            }
            long create = docks.stream().mapToLong(Dock::open).sum();
            double[] each = Footprint.now().perThing(before, count);
            double post = run.pace().nanos(CHUNK, times -> docks.forEach(dock -> dock.post(times))) / docks.size();
            double poll = run.pace().nanos(FULL_CHUNK, times -> docks.forEach(dock -> dock.poll(times))) / docks.size();
            long close = docks.stream().mapToLong(Dock::closeJetties).sum();
            if (curve != null) {
                curve.add(
                        count,
                        (double) create / count,
                        post,
                        poll,
                        (double) close / count,
                        each[0],
                        each[1],
                        each[2],
                        each[3]);
            }
            return each;
        } finally {
            docks.forEach(Dock::close);
        }
    }

    /** A context with Jetties. */
    private static final class Dock implements AutoCloseable {
        private final UrmaContext context;
        private final int count;
        private final Jfc jfc;
        private final LocalSegment local;
        private final RemoteSegment remote;
        private final CompletionBatch batch = new CompletionBatch(16);
        private final List<Jetty> jetties = new ArrayList<>();
        private final List<Jfr> jfrs = new ArrayList<>();
        private int next;

        Dock(UrmaContext context, SharedSegment line, int count) {
            this.context = context;
            this.count = count;
            this.jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(2 * DEPTH * count));
            this.local = context.register(context.allocate(BYTES), Access.LOCAL_ONLY);
            this.remote = context.importSegment(line);
        }

        /** Makes them; returns how long that took. */
        long open() {
            JfrConfig receives = JfrConfig.builder().depth(DEPTH).build();
            JfsConfig sends = JfsConfig.builder().depth(DEPTH).build();
            long begin = System.nanoTime();
            for (int i = 0; i < count; i++) {
                Jfr jfr = context.createJfr(jfc, receives);
                jfrs.add(jfr);
                jetties.add(context.createJetty(jfc, jfr, sends));
            }
            return System.nanoTime() - begin;
        }

        void post(int times) {
            for (int i = 0; i < times; i++) {
                jetties.get(next).jfs().write(remote, 0, local, 0, Long.BYTES, next);
                Polls.one(jfc, batch);
                next = next + 1 < count ? next + 1 : 0;
            }
        }

        void poll(int times) {
            for (int i = 0; i < times; i++) {
                Polls.taken(jfc, batch);
            }
        }

        long closeJetties() {
            long begin = System.nanoTime();
            jetties.forEach(Jetty::close);
            jfrs.forEach(Jfr::close);
            return System.nanoTime() - begin;
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
