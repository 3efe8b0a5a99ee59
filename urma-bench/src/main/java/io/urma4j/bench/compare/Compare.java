package io.urma4j.bench.compare;

import io.urma4j.bench.Destination;
import io.urma4j.bench.PredictedPackets;
import io.urma4j.bench.Program;
import io.urma4j.bench.compare.RoundRobin.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program behind {@code urma-bench/compare}. */
@Command(
        name = "compare",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Compare urma4j with alternative libraries that do the same work, in alternating runs on the "
                    + "same two CPUs, and with the limits of the machine in the same minute.",
            "",
            "Peers are installed or built if possible, and listed as missing otherwise. Exit code: 0 if the "
                    + "table was written, whatever the results; with --strict, 1 if a target is missed.",
            "",
            "Prints an estimate of its time first. Runs with the same --out make one report: each run "
                    + "replaces its rows."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma-bench/compare --quick",
            "  urma-bench/compare --only shm-write,shm-read --rounds 9",
            "  urma-bench/compare --out docs/performance",
            "  urma-bench/compare --only udma --out docs/performance",
            "  urma-bench/compare --only sockets --out docs/performance",
            "  urma-bench/compare --resume --out docs/performance"
        })
public final class Compare implements Callable<Integer> {
    private static final double QUICK_SECONDS = 150;

    @Option(names = "--quick", description = "Key rows only, with short turns.")
    private boolean quick;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "ROW",
            description = "Only these rows and drawings, by name or prefix; see --list.")
    private List<String> only = List.of();

    @Option(
            names = "--peer",
            split = ",",
            paramLabel = "PEER",
            description = "Only these peers, by name or prefix; with --quick, in all rows that they support.")
    private List<String> peers = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "Turns of each peer; default: 5.")
    private int rounds = 5;

    @Option(
            names = "--millis",
            paramLabel = "MS",
            description = "Length of a turn; default: 250, or 50 with --quick and for drawings.")
    private @Nullable Integer millis;

    @Option(names = "--table", description = "No drawings.")
    private boolean tableOnly;

    @Option(names = "--plots", description = "Only the drawings of latency and bandwidth by size, from 8 B to 4 MiB.")
    private boolean plotsOnly;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "Write NAME.json, NAME.md and, unless --quick, the drawings to FOLDER.")
    private @Nullable Path out;

    @Option(names = "--name", paramLabel = "NAME", description = "Base name of the report files; default: compare.")
    private String name = "compare";

    @Option(names = "--resume", description = "Only rows that the report in FOLDER does not have yet.")
    private boolean resume;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Start no row that would end later, and list the rows left out; default: 2.5 with --quick, "
                    + "otherwise twice the estimate.")
    private @Nullable Double minutes;

    @Option(names = "--no-install", description = "Use only installed peers.")
    private boolean noInstall;

    @Option(names = "--strict", description = "Exit with 1 if a target is missed.")
    private boolean strict;

    @Option(names = "--list", description = "List rows, drawings and peers without measuring.")
    private boolean list;

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean help;

    @Spec
    private CommandSpec spec;

    private final long startNanos = System.nanoTime();
    private boolean hasBuilt;

    public static void main(String[] arguments) {
        Program.run(new Compare(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        if (list) {
            tellAll();
            return 0;
        }
        if (out != null) {
            Destination.makeFolder(out);
        }
        Report report = report();
        report.runs(new Report.Run(
                "urma-bench/compare " + arguments(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                Machine.load()));
        if (!plotsOnly) {
            fillTable(report);
        }
        if (plotsOnly || (out != null && !quick && !tableOnly)) {
            draw(report);
        }
        System.out.print(report.foot());
        save(report);
        return strict && report.lines().stream().anyMatch(line -> !line.isKept()) ? 1 : 0;
    }

    private void check() {
        if (rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds " + rounds + " is less than 1");
        }
        if (millis != null && millis < 1) {
            throw new ParameterException(spec.commandLine(), "--millis " + millis + " is less than 1");
        }
        if ((resume || plotsOnly) && out == null) {
            throw new ParameterException(spec.commandLine(), "--resume and --plots need --out");
        }
        for (String prefix : only) {
            if (Stream.concat(Rows.all().stream().map(Row::name), Curves.names().stream())
                    .noneMatch(any -> any.startsWith(prefix))) {
                throw new ParameterException(
                        spec.commandLine(), "no row or drawing begins with '" + prefix + "'; see --list");
            }
        }
    }

    private void tellAll() {
        for (Row row : Rows.all()) {
            if (isWanted(row.name()) && (!quick || row.isQuick())) {
                System.out.printf("%-26s %s%s%n", row.name(), row.words(), row.isQuick() ? " (quick)" : "");
                row.targets()
                        .forEach(target -> System.out.printf("%-26s   %s × %s%n", "", target.limit(), target.peer()));
            }
        }
        Curves.names().stream().filter(this::isWanted).forEach(curve -> System.out.println(curve + ".svg"));
        System.out.println();
        Peers.all().forEach(peer -> System.out.println(peer.name()));
    }

    private boolean isWanted(String name) {
        return only.isEmpty() || only.stream().anyMatch(name::startsWith);
    }

    // ---- the table

    private void fillTable(Report report) throws IOException, InterruptedException {
        List<Row> rows = Rows.all().stream()
                .filter(row -> isWanted(row.name()) && (!quick || !only.isEmpty() || row.isQuick()))
                .filter(row -> !resume || !report.isKnown(row.name()))
                .toList();
        if (rows.isEmpty()) {
            return;
        }
        boolean onlyAsked = quick && peers.isEmpty();
        List<Peer> all = onlyAsked ? Peers.few() : Peers.all();
        try {
            if (onlyAsked) {
                tellLeftOut(report, all);
            }
            List<Peer> here = obtained(all, report, peer -> RowRunner.has(peer, rows, onlyAsked));
            RoundRobin roundRobin = new RoundRobin(rounds, turn(quick ? 50 : 250));
            RowRunner runner = new RowRunner(roundRobin, rows, here, onlyAsked);
            Deadline deadline = deadline("the table", runner.expected());
            System.out.print(Report.head());
            runner.play(deadline, report, (row, outcome) -> {
                report.beginsAnew(row.name());
                tellFailures(report, row, outcome);
                tell(report, row, outcome);
                save(report);
            });
        } finally {
            all.forEach(Peer::close);
        }
    }

    private Duration turn(int otherwiseMillis) {
        return Duration.ofMillis(millis != null ? millis : otherwiseMillis);
    }

    /** Prints the estimated duration and the limit, and returns the deadline. */
    private Deadline deadline(String what, Duration expected) {
        double seconds =
                minutes != null ? minutes * 60 : quick ? QUICK_SECONDS - spent() : 30 + 2 * expected.toSeconds();
        System.out.printf(
                "%s: about %.1f minutes, nothing begun that would end after %.1f%n%n",
                what, expected.toMillis() / 60e3, seconds / 60);
        return Deadline.in(Duration.ofMillis((long) (seconds * 1_000)));
    }

    /** Seconds that the start of the peers took, where nothing had to be built. */
    private double spent() {
        return hasBuilt ? 0 : (System.nanoTime() - startNanos) / 1e9;
    }

    private static void tellLeftOut(Report report, List<Peer> few) {
        List<String> names = few.stream().map(Peer::name).toList();
        Peers.all().stream().map(Peer::name).filter(any -> !names.contains(any)).forEach(report::leavesOut);
    }

    private static void tellFailures(Report report, Row row, Outcome outcome) {
        outcome.failures().forEach((peer, what) -> {
            report.failed(row.name(), peer.name() + " did not finish: " + what);
            System.err.println("compare: " + row.name() + ": " + peer.name() + " did not finish: " + what);
        });
    }

    private static void tell(Report report, Row row, Outcome outcome) {
        Series ours = outcome.series().entrySet().stream()
                .filter(entry -> entry.getKey().name().equals(Names.URMA))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
        if (ours == null || !ours.has(row.metric())) {
            return; // reported as a failure
        }
        outcome.series().forEach((peer, theirs) -> {
            if (!peer.name().equals(Names.URMA) && theirs.has(row.metric())) {
                Line line = Line.of(row, peer.name(), ours, theirs);
                report.add(line);
                System.out.print(Report.line(line));
            }
        });
        PredictedPackets packets = ours.packets();
        if (packets.received() > 0) {
            report.received(row.name(), packets.toString());
            System.out.println("  " + packets);
        }
    }

    // ---- the drawings

    private void draw(Report report) throws IOException, InterruptedException {
        Predicate<String> isDue = curve -> isWanted(curve) && !(resume && report.isKnown(curve));
        if (Curves.names().stream().noneMatch(isDue)) {
            return;
        }
        List<Peer> all = Peers.few();
        try {
            List<Peer> here = obtained(all, report, peer -> Curves.has(peer, isDue));
            RoundRobin roundRobin = new RoundRobin(rounds, turn(50));
            Curves curves = new Curves(roundRobin, here, isDue);
            curves.draw(folder(), deadline("the drawings", curves.expected()), report, () -> save(report));
        } finally {
            all.forEach(Peer::close);
        }
    }

    // ---- peers

    private List<Peer> obtained(List<Peer> all, Report report, Predicate<Peer> isOfUse)
            throws IOException, InterruptedException {
        Toolchain toolchain = new Toolchain(Path.of(System.getProperty("urma.root", ".")), !noInstall);
        List<Peer> here = new ArrayList<>();
        for (Peer peer : all) {
            boolean isUs = peer.name().equals(Names.URMA);
            boolean isAsked = peers.isEmpty() || peers.stream().anyMatch(peer.name()::startsWith);
            if ((isUs || isAsked) && isOfUse.test(peer)) {
                obtain(peer, toolchain, report, here);
            }
            if (isUs && isOfUse.test(peer) && here.isEmpty()) {
                throw new IOException("urma4j itself cannot be measured here: "
                        + report.foot().strip());
            }
        }
        hasBuilt |= toolchain.hasBuilt();
        return here;
    }

    private static void obtain(Peer peer, Toolchain toolchain, Report report, List<Peer> here)
            throws InterruptedException {
        try {
            report.takesPart(peer.title(), peer.obtain(toolchain));
            here.add(peer);
        } catch (PeerUnavailableException | IOException e) {
            Processes.awaitEndIfNear();
            String reason = String.valueOf(e.getMessage());
            report.isMissing(peer.title(), reason);
            System.err.println("compare: without " + peer.title() + ": " + reason);
        }
    }

    // ---- files

    /** The one that is there, or a new one. */
    private Report report() throws IOException {
        Map<String, Object> here = Machine.described();
        if (out == null || !Files.exists(out.resolve(name + ".json"))) {
            return new Report(here);
        }
        Path file = out.resolve(name + ".json");
        Report known = ReportFile.parse(Files.readString(file));
        if (!Machine.isSame(known.machine(), here)) {
            throw new IOException(
                    file + " is of another machine (" + known.machine() + "); take another --name, or remove it");
        }
        return known;
    }

    private void save(Report report) throws IOException {
        if (out != null) {
            write(folder().resolve(name + ".json"), report.json());
            write(folder().resolve(name + ".md"), report.markdown(Notes.TEXT));
        }
    }

    /** Whole or not at all. */
    private static void write(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling("." + file.getFileName());
        Files.writeString(fresh, text);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path folder() throws IOException {
        return Files.createDirectories(out == null ? Path.of(".") : out);
    }

    private String arguments() {
        return String.join(" ", spec.commandLine().getParseResult().originalArgs());
    }
}
