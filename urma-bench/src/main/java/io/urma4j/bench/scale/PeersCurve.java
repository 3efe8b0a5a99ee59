package io.urma4j.bench.scale;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.scale.Scale.Run;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a peer costs when there are many, each a process of its own: to write to one after the other, to send to them, and
 * to poll while all are connected. Peers sleep until a message comes, so a SEND pays for a wake-up as well.
 */
final class PeersCurve {
    private static final List<String> COLUMNS = List.of(
            "connect µs",
            "WRITE 8 B ns",
            "SEND 8 B ns",
            "empty poll ns",
            "heap B",
            "native B",
            "descriptors",
            "mappings",
            "MiB a JVM");
    private static final String DEVICE = "shm0";
    private static final long BYTES = 4096;
    private static final int CHUNK = 256;
    private static final int WINDOW = 16;
    private static final long GUESSED_BYTES = 100L << 20; // of a peer, before one was measured
    private static final double MOST_OF_MEMORY = 0.8;

    private final Run run;

    PeersCurve(Run run) {
        this.run = run;
    }

    Curve measure() throws IOException {
        Curve curve = new Curve(
                "peers-shm",
                "Peers on " + DEVICE + ", a process each, " + WINDOW
                        + " SENDs in flight; memory of this side, per peer",
                "peers",
                COLUMNS);
        try (Urma urma = Urma.open();
                UrmaContext context = urma.device(DEVICE).openContext();
                PeerProcesses processes = new PeerProcesses(DEVICE)) {
            Hub hub = new Hub(context);
            Footprint withOne = null;
            long peerBytes = GUESSED_BYTES;
            for (int count : Run.counts(2, run.extent().peers())) {
                long free = Room.now().memoryBytes();
                int more = count - hub.peers();
                if (more * peerBytes > MOST_OF_MEMORY * free) {
                    curve.note(String.format(
                            Locale.ROOT,
                            "%d peers would need some %,d MiB more, and %,d MiB are free.",
                            count,
                            more * peerBytes >> 20,
                            free >> 20));
                    break;
                }
                Run.tell(curve.name() + " " + count);
                double connectNanos = hub.connect(processes.start(more)) / more;
                peerBytes = processes.bytesOfOne();
                measure(curve, hub, withOne, connectNanos, peerBytes);
                if (withOne == null) {
                    withOne = Footprint.now(); // with all that the first one needs
                }
            }
        }
        return curve;
    }

    private void measure(Curve curve, Hub hub, @Nullable Footprint withOne, double connectNanos, long peerBytes) {
        double write = run.pace().nanos(CHUNK, hub::write);
        double send = run.pace().nanos(CHUNK, hub::send);
        double poll = run.pace().nanos(CHUNK, hub::poll);
        Footprint now = Footprint.now();
        double[] each = now.perThing(withOne == null ? now : withOne, hub.peers() - 1L);
        curve.add(
                hub.peers(),
                connectNanos / 1e3,
                write,
                send,
                poll,
                each[0],
                each[1],
                each[2],
                each[3],
                peerBytes / (double) (1 << 20));
    }

    /** Our end of all connections. */
    private static final class Hub {
        private final UrmaContext context;
        private final Jfc jfc;
        private final Jfs jfs;
        private final LocalSegment local;
        private final List<RemoteSegment> segments = new ArrayList<>();
        private final List<TargetJetty> targets = new ArrayList<>();
        private final CompletionBatch batch = new CompletionBatch(WINDOW);
        private int next;

        Hub(UrmaContext context) {
            this.context = context;
            this.jfc = context.createJfc(JfcConfig.DEFAULT);
            this.jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
            this.local = context.register(context.allocate(BYTES), Access.LOCAL_ONLY);
        }

        int peers() {
            return targets.size();
        }

        /** Imports what each of the lines names; returns how long that took. */
        double connect(List<String> lines) {
            long begin = System.nanoTime();
            for (String line : lines) {
                String[] words = line.split(" ", 2);
                segments.add(context.importSegment(SharedSegment.parse(words[0])));
                targets.add(context.importJetty(SharedJetty.parse(words[1])));
            }
            return System.nanoTime() - begin;
        }

        void write(int times) {
            for (int i = 0; i < times; i++) {
                jfs.write(segments.get(nextPeer()), 0, local, 0, Long.BYTES, i);
                Polls.one(jfc, batch);
            }
        }

        void send(int times) {
            int underWay = 0;
            for (int i = 0; i < times; i++) {
                jfs.send(targets.get(nextPeer()), local, 0, Long.BYTES, i);
                underWay++;
                while (underWay >= WINDOW || (i == times - 1 && underWay > 0)) {
                    underWay -= Polls.taken(jfc, batch);
                }
            }
        }

        void poll(int times) {
            for (int i = 0; i < times; i++) {
                Polls.taken(jfc, batch);
            }
        }

        private int nextPeer() {
            next = next + 1 < targets.size() ? next + 1 : 0;
            return next;
        }
    }
}
