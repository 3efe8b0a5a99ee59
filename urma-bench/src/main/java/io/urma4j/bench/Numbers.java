package io.urma4j.bench;

import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.bench.Limit.AtMost;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The program behind {@code urma-bench/numbers}: measures everything that the foundation promises in figures, in one run,
 * each subject beside a plain peer, in turns, in pinned threads, as the median of at least five rounds.
 */
@Command(
        name = "numbers",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Measure urma4j against plain Java and raw UDP in C, in one run, and print a table: a line per "
                    + "figure, with its limit. Needs two idle CPUs and a C compiler.",
            "",
            "Exit code: 0 if all limits are met, 1 if one is missed, 2 for a usage error."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma-bench/numbers --quick",
            "  urma-bench/numbers --quick --only write-8,read-8",
            "  urma-bench/numbers --only udma --json udma.json"
        })
public final class Numbers implements Callable<Integer> {
    @Option(names = "--quick", description = "Fewer and shorter rounds: about eight minutes.")
    private boolean quick;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NAME",
            description = "Only these figures, by name or prefix, such as udma.")
    private List<String> only = List.of();

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the figures to FILE.")
    private @Nullable Path json;

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean help;

    @Spec
    private CommandSpec spec;

    Numbers() {}

    /** What one run is asked for, and what it has found. */
    static final class Run {
        private final Alternation alternation;
        private final List<String> only;
        private final List<Figure> figures = new ArrayList<>();
        private final List<String> unknown; // of those asked for, what has met no name so far

        Run(Alternation alternation, List<String> only) {
            this.alternation = alternation;
            this.only = only;
            this.unknown = new ArrayList<>(only);
        }

        Alternation alternation() {
            return alternation;
        }

        boolean wants(String name) {
            unknown.removeIf(name::startsWith);
            return only.isEmpty() || only.stream().anyMatch(name::startsWith);
        }

        /** Whether any figure whose name begins so is wanted. */
        boolean wantsSomeOf(String prefix) {
            return only.isEmpty() || only.stream().anyMatch(name -> name.startsWith(prefix) || prefix.startsWith(name));
        }

        /** Measures in alternating rounds how many times the peer's time the subject takes; false if it is not wanted. */
        boolean ratio(String name, String what, Timed subject, Timed peer, double most) {
            if (!wants(name)) {
                return false;
            }
            tell(Figure.ratio(name, what, alternation.measure(subject, peer), new AtMost(most)));
            return true;
        }

        /** The same for the part of the peer's speed that the subject must reach, with rounds for its chunks. */
        boolean speed(String name, String what, Alternation rounds, Timed subject, Timed peer, double least) {
            if (!wants(name)) {
                return false;
            }
            tell(Figure.speed(name, what, rounds.measure(subject, peer), new AtLeast(least)));
            return true;
        }

        /** Adds a figure to the table, and shows it at once as progress. */
        void tell(Figure figure) {
            figures.add(figure);
            System.out.println(Table.line(figure));
        }
    }

    public static void main(String[] arguments) {
        Program.run(new Numbers(), arguments);
    }

    @Override
    public Integer call() throws Exception {
        if (json != null) {
            Destination.checkFile(json);
        }
        Alternation alternation = quick
                ? new Alternation(5, 60_000_000L, 400_000_000L)
                : new Alternation(15, 200_000_000L, 1_000_000_000L);
        Run run = new Run(alternation, only);
        String machine = Table.machine();
        System.out.println(machine);
        System.out.println(Table.head());
        new OneSidedSuite(run).measure();
        new MeasuringSuite(run).measure();
        new PingPongSuite(run).measure();
        new MessageSuite(run).measure();
        new WaitingSuite(run).measure();
        new CountingSuite(run).measure();
        new SharingSuite(run).measure();
        new AllocationSuite(run, "shm0", "", 1_000_000).measure();
        new BufferSuite(run).measure();
        new PoolSuite(run).measure();
        new CrowdSuite(run).measure();
        new NettySuite(run).measure();
        new ExportSuite(run).measure();
        new TransferSuite(run).measure();
        new StoreSuite(run).measure();
        new PeerSuite(run).measure();
        new BlockSuite(run).measure();
        new UdmaSuite(run).measure();
        if (!run.unknown.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "nothing was measured whose name begins with '" + run.unknown.getFirst() + "'");
        }
        System.out.println(Table.foot(run.figures));
        if (json != null) {
            Files.writeString(json, Table.json(machine, run.figures));
        }
        return run.figures.stream().allMatch(Figure::isKept) ? 0 : 1;
    }
}
