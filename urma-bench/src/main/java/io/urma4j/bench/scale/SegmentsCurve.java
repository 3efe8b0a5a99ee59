package io.urma4j.bench.scale;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedMemory;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Loopback;
import io.urma4j.bench.scale.Scale.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The cost of a segment when there are many: to register and close, to import and release, and to write to in turn.
 * Home
 * and importer are two contexts of this process, as far apart as two processes but for the address space.
 */
final class SegmentsCurve {
    private static final List<String> COLUMNS = List.of(
            "register ns",
            "import ns",
            "WRITE 8 B ns",
            "give back ns",
            "close ns",
            "heap B",
            "native B",
            "descriptors",
            "mappings");
    private static final long BYTES = 4096;
    private static final int CHUNK = 256;

    private final Run run;
    private final String device;
    private final boolean oneMemory;

    /** @param oneMemory whether all segments share one memory, or each has its own */
    SegmentsCurve(Run run, String device, boolean oneMemory) {
        this.run = run;
        this.device = device;
        this.oneMemory = oneMemory;
    }

    /** Measures each number of segments, as far as the machine goes. */
    Curve measure() {
        Curve curve = new Curve(
                "segments-" + Run.family(device) + (oneMemory ? "-one-memory" : ""),
                "Segments on " + device + ", " + (oneMemory ? "all of one memory of 4 KiB" : "each of its own 4 KiB")
                        + "; per segment",
                "segments",
                COLUMNS);
        try (Urma urma = Urma.open(Loopback.options());
                UrmaContext home = urma.device(device).openContext();
                UrmaContext importer = urma.device(device).openContext()) {
            Stand stand = new Stand(home, importer);
            for (int i = 0; i < run.pace().rounds(1); i++) {
                stand.cycle(1, new long[4]); // compiled before the first row
            }
            double[] each = null;
            for (int count : Run.counts(10, run.extent().segments())) {
                Footprint before = Footprint.now();
                Optional<String> refusal =
                        each == null ? Optional.empty() : Room.now().refusal(count, before, each);
                if (refusal.isPresent()) {
                    curve.note(refusal.get());
                    break;
                }
                Run.tell(curve.name() + " " + count);
                each = measure(curve, stand, count, before);
            }
        }
        return curve;
    }

    private double[] measure(Curve curve, Stand stand, int count, Footprint before) {
        long[] nanos = new long[4];
        int rounds = run.pace().rounds(count);
        for (int i = 1; i < rounds; i++) {
            stand.cycle(count, nanos);
        }
        stand.open(count, nanos);
        double[] each = Footprint.now().perThing(before, count);
        stand.write(count); // the first touch of a page is the kernel's affair
        double write = run.pace().nanos(CHUNK, stand::write);
        stand.close(nanos);
        double all = (double) rounds * count;
        curve.add(
                count,
                nanos[0] / all,
                nanos[1] / all,
                write,
                nanos[2] / all,
                nanos[3] / all,
                each[0],
                each[1],
                each[2],
                each[3]);
        return each;
    }

    /** Home and importer, and what is open between them. */
    private final class Stand {
        private final UrmaContext home;
        private final UrmaContext importer;
        private final Jfc jfc;
        private final Jfs jfs;
        private final LocalSegment local;
        private final CompletionBatch batch = new CompletionBatch(16);
        private final List<SharedMemory> memories = new ArrayList<>();
        private final List<LocalSegment> segments = new ArrayList<>();
        private final List<RemoteSegment> imports = new ArrayList<>();
        private int next;

        Stand(UrmaContext home, UrmaContext importer) {
            this.home = home;
            this.importer = importer;
            this.jfc = importer.createJfc(JfcConfig.DEFAULT);
            this.jfs = importer.createJfs(jfc, JfsConfig.DEFAULT);
            this.local = importer.register(importer.allocate(BYTES), Access.LOCAL_ONLY);
        }

        void cycle(int count, long[] nanos) {
            open(count, nanos);
            close(nanos);
        }

        void open(int count, long[] nanos) {
            long begin = System.nanoTime();
            for (int i = 0; i < count; i++) {
                if (memories.isEmpty() || !oneMemory) {
                    memories.add(home.allocate(BYTES));
                }
                segments.add(home.register(memories.getLast(), Access.READ_WRITE));
            }
            nanos[0] += System.nanoTime() - begin;
            List<SharedSegment> lines = segments.stream()
                    .map(segment -> SharedSegment.parse(segment.share()))
                    .toList();
            begin = System.nanoTime();
            for (SharedSegment line : lines) {
                imports.add(importer.importSegment(line));
            }
            nanos[1] += System.nanoTime() - begin;
            next = 0;
        }

        /** One after the other, each to the next segment. */
        void write(int times) {
            for (int i = 0; i < times; i++) {
                jfs.write(imports.get(next), 0, local, 0, Long.BYTES, next);
                Polls.one(jfc, batch);
                next = next + 1 < imports.size() ? next + 1 : 0;
            }
        }

        void close(long[] nanos) {
            long begin = System.nanoTime();
            imports.forEach(RemoteSegment::close);
            long between = System.nanoTime();
            segments.forEach(LocalSegment::close);
            memories.forEach(SharedMemory::close);
            nanos[2] += between - begin;
            nanos[3] += System.nanoTime() - between;
            imports.clear();
            segments.clear();
            memories.clear();
        }
    }
}
