package io.urma4j.bench.scale;

import io.urma4j.UrmaException;
import io.urma4j.bench.Destination;
import io.urma4j.bench.Program;
import io.urma4j.tools.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The program behind {@code urma-bench/scale}. */
@Command(
        name = "scale",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Measure the cost of many segments, Jetties, peers and connections of sockets, and print a table for each.",
            "",
            "A curve ends at a limit of this machine (descriptors, mappings, memory), and names it."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma-bench/scale --quick", "  urma-bench/scale --only peers --json peers.json"})
public final class Scale implements Callable<Integer> {

    /** What there are more and more of. */
    @SuppressWarnings("MemberName") // as users write them
    enum Subject {
        segments,
        jetties,
        peers,
        connections,
        simulated
    }

    @Option(names = "--quick", description = "Smaller numbers and shorter loops: some minutes.")
    private boolean quick;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "SUBJECT",
            description = "Only these: ${COMPLETION-CANDIDATES}.")
    private List<Subject> only = List.of();

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the figures to a file.")
    private @Nullable Path json;

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    private boolean help;

    /** How many there are at the most. */
    record Extent(int segments, int jetties, int peers, int connections, int simulated) {
        static final Extent QUICK = new Extent(10_000, 1_000, 16, 1_000, 1_000);
        static final Extent WHOLE = new Extent(100_000, 10_000, 256, 10_000, 1_000);
    }

    /** How one run measures, and how far it goes. */
    record Run(Extent extent, Pace pace) {
        /** Powers of a base from 1 to a number. */
        static List<Integer> counts(int base, int most) {
            return IntStream.iterate(1, count -> count <= most, count -> base * count)
                    .boxed()
                    .toList();
        }

        /** Says on stderr what is measured now. */
        static void tell(String what) {
            System.err.println("scale: " + what);
        }

        /** The name of a device without its number. */
        static String family(String device) {
            return device.replaceAll("\\d+$", "");
        }
    }

    /** One curve's measurement. */
    @FunctionalInterface
    private interface Measurement {
        Curve measure() throws IOException;
    }

    public static void main(String[] arguments) {
        Program.run(new Scale(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        if (json != null) {
            Destination.checkFile(json);
        }
        Run run = quick ? new Run(Extent.QUICK, Pace.quick()) : new Run(Extent.WHOLE, Pace.thorough());
        List<Curve> curves = new ArrayList<>();
        if (wants(Subject.segments)) {
            tell(curves, new SegmentsCurve(run, "shm0", false)::measure);
            tell(curves, new SegmentsCurve(run, "shm0", true)::measure);
            tell(curves, new SegmentsCurve(run, "udma0", true)::measure);
        }
        if (wants(Subject.jetties)) {
            tell(curves, new JettiesCurve(run, "shm0")::measure);
            tell(curves, new JettiesCurve(run, "udma0")::measure);
        }
        if (wants(Subject.peers)) {
            tell(curves, new PeersCurve(run)::measure);
        }
        if (wants(Subject.connections)) {
            tell(curves, new ConnectionsCurve(run, true, 0)::measure);
            tell(curves, new ConnectionsCurve(run, true, 200)::measure);
            tell(curves, new ConnectionsCurve(run, false, 0)::measure);
        }
        if (wants(Subject.simulated)) {
            Curve simulated = tell(curves, new SimulatedCurve(run)::measure);
            if (simulated != null) {
                tell(curves, () -> OnPaper.of(simulated));
            }
        }
        return curves.isEmpty() ? 1 : 0;
    }

    private boolean wants(Subject subject) {
        return only.isEmpty() || only.contains(subject);
    }

    /** Prints a curve, and saves all so far: a run that is ended early keeps what it has. Null when it cannot be had. */
    private @Nullable Curve tell(List<Curve> curves, Measurement measurement) throws IOException {
        Curve curve;
        try {
            curve = measurement.measure();
        } catch (UrmaException e) {
            System.err.println("scale: " + e.getMessage());
            return null;
        }
        System.out.println(curve.text());
        curves.add(curve);
        if (json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("quick", quick);
            all.put("curves", curves.stream().map(Curve::asMap).toList());
            try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(json))) {
                Json.print(file, all);
            }
        }
        return curve;
    }
}
