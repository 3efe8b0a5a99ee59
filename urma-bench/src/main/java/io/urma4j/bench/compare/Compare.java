package io.urma4j.bench.compare;

import io.urma4j.bench.compare.Contest.Outcome;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
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
            "Measure urma4j beside what one would take in its place, doing the same work in alternating runs on the"
                    + " same two CPUs, and beside what the machine can do at the same minute.",
            "",
            "Peers are installed or built where that is possible, and listed as missing where it is not. Ends with 0 "
                    + "when the table is made, whatever it says; with --strict, with 1 when a target is missed."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma-bench/compare --quick",
            "  urma-bench/compare --only shm-write,shm-read --rounds 9",
            "  urma-bench/compare --out docs/performance",
            "  urma-bench/compare --plots --name plots --out docs/performance"
        })
public final class Compare implements Callable<Integer> {
    @Option(names = "--quick", description = "The most telling rows, with short turns.")
    private boolean quick;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "ROW",
            description = "These rows, or all whose names begin so; see --list.")
    private List<String> only = List.of();

    @Option(
            names = "--peer",
            split = ",",
            paramLabel = "PEER",
            description = "Beside these peers alone, by the beginnings of their names.")
    private List<String> peers = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "Turns of each peer; by default 5, or 3 when --quick.")
    private @Nullable Integer rounds;

    @Option(
            names = "--millis",
            paramLabel = "MS",
            description = "Length of a turn; by default 300, or 100 when --quick.")
    private @Nullable Integer millis;

    @Option(
            names = "--plots",
            arity = "0..1",
            split = ",",
            fallbackValue = "shm,udma",
            paramLabel = "NAME",
            description =
                    "Draw latency and bandwidth against size, from 8 B to 4 MiB, in place of the table: all, or those "
                            + "whose names begin so, such as shm-send.")
    private List<String> plots = List.of();

    @Option(names = "--out", paramLabel = "FOLDER", description = "Write NAME.json, NAME.md and the plots into FOLDER.")
    private @Nullable Path out;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Of these files, when a long run is done in pieces; by default compare.")
    private String name = "compare";

    @Option(names = "--no-install", description = "Take only those peers that are there.")
    private boolean noInstall;

    @Option(names = "--strict", description = "End with 1 when a target is missed.")
    private boolean strict;

    @Option(names = "--list", description = "List rows and peers, and measure nothing.")
    private boolean list;

    @Option(names = "--help", usageHelp = true, description = "This text.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean help;

    @Spec
    private CommandSpec spec;

    public static void main(String[] arguments) {
        PrintStream utf8 = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(utf8);
        CommandLine line = new CommandLine(new Compare());
        line.setExecutionExceptionHandler((e, command, result) -> {
            System.err.println("compare: " + (e.getMessage() == null ? e : e.getMessage()));
            return 2;
        });
        System.exit(line.execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Row> rows = rows();
        if (list) {
            tellAll(rows);
            return 0;
        }
        Contest contest = new Contest(
                rounds != null ? rounds : quick ? 3 : 5,
                Duration.ofMillis(millis != null ? millis : quick ? 100 : 300),
                Duration.ofMillis(quick ? 800 : 3_000));
        List<Peer> all = Peers.all();
        try {
            return compare(contest, rows, all);
        } finally {
            all.forEach(Peer::close);
        }
    }

    private List<Row> rows() {
        if (!plots.isEmpty() && only.isEmpty() && !quick) {
            return List.of();
        }
        List<Row> rows = Rows.all().stream()
                .filter(row ->
                        only.isEmpty() ? !quick || row.isQuick() : only.stream().anyMatch(row.name()::startsWith))
                .toList();
        for (String name : only) {
            if (Rows.all().stream().noneMatch(row -> row.name().startsWith(name))) {
                throw new ParameterException(spec.commandLine(), "no row begins with '" + name + "'; see --list");
            }
        }
        return rows;
    }

    private static void tellAll(List<Row> rows) {
        for (Row row : rows) {
            System.out.printf("%-22s %s%s%n", row.name(), row.words(), row.isQuick() ? " (quick)" : "");
            row.targets().forEach(target -> System.out.printf("%-22s   %s × %s%n", "", target.limit(), target.peer()));
        }
        System.out.println();
        Peers.all().forEach(peer -> System.out.println(peer.name()));
    }

    private Integer compare(Contest contest, List<Row> rows, List<Peer> all) throws IOException, InterruptedException {
        Report report = new Report(Machine.described(), "urma-bench/compare " + arguments());
        List<Peer> here = obtained(all, report, rows);
        if (here.isEmpty() || !here.getFirst().name().equals(Names.URMA)) {
            throw new IOException(
                    "urma4j itself cannot be measured here: " + report.foot().strip());
        }
        if (!rows.isEmpty()) {
            System.out.print(Report.head());
        }
        Map<Task, Outcome> outcomes = new HashMap<>();
        Map<Reach, Integer> rates = new EnumMap<>(Reach.class);
        for (Row asked : rows) {
            Row row = asked;
            if (asked.task().perSecond() == Task.COMMON_RATE) {
                Reach reach = asked.task().reach();
                if (!rates.containsKey(reach)) {
                    rates.put(reach, commonRate(contest, asked.task(), here));
                }
                row = asked.with(asked.task().at(rates.get(reach)));
            }
            Outcome outcome = outcomes.get(row.task());
            if (outcome == null) {
                outcome = contest.play(row.task(), here);
                outcomes.put(row.task(), outcome);
                tellFailures(report, row, outcome);
            }
            tell(report, row, outcome);
            save(report); // a run that is ended early keeps what it has
        }
        new Curves(contest, here, report).draw(folder(), plots);
        System.out.print(report.foot());
        save(report);
        return strict && report.lines().stream().anyMatch(line -> !line.isKept()) ? 1 : 0;
    }

    /** Half of what the slowest of those who take part could do, one round trip after the other; in two digits. */
    private static int commonRate(Contest contest, Task task, List<Peer> peers) throws InterruptedException {
        Task trips = Task.of(Work.SEND_LATENCY, task.reach(), task.bytes());
        List<Peer> participants =
                peers.stream().filter(peer -> peer.can(task) && peer.can(trips)).toList();
        double slowest = contest.play(trips, participants).series().values().stream()
                .mapToDouble(series -> series.median(Metric.MEAN))
                .max()
                .orElse(1e6);
        double rate = 1e9 / (2 * slowest) / 2;
        double unit = Math.pow(10, Math.floor(Math.log10(rate)) - 1);
        return (int) Math.max(1, Math.floor(rate / unit) * unit);
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

    private List<Peer> obtained(List<Peer> all, Report report, List<Row> rows)
            throws IOException, InterruptedException {
        Workshop workshop = new Workshop(Path.of(System.getProperty("urma.root", ".")), !noInstall);
        List<Peer> here = new ArrayList<>();
        for (Peer peer : all) {
            boolean wanted = peer.name().equals(Names.URMA)
                    || peers.isEmpty()
                    || peers.stream().anyMatch(peer.name()::startsWith);
            if (!wanted || (plots.isEmpty() && rows.stream().noneMatch(row -> peer.can(row.task())))) {
                continue;
            }
            try {
                report.takesPart(peer.name(), peer.obtain(workshop));
                here.add(peer);
            } catch (Missing e) {
                report.isMissing(peer.name(), e.reason());
                System.err.println("compare: without " + peer.name() + ": " + e.reason());
            }
        }
        return here;
    }

    private static void tellFailures(Report report, Row row, Outcome outcome) {
        outcome.failures().forEach((peer, what) -> {
            report.failed(row.name(), peer.name(), what);
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
            return; // told as a failure
        }
        outcome.series().forEach((peer, theirs) -> {
            if (!peer.name().equals(Names.URMA) && theirs.has(row.metric())) {
                Line line = Line.of(row, peer.name(), ours, theirs);
                report.add(line);
                System.out.print(Report.line(line));
            }
        });
    }
}
