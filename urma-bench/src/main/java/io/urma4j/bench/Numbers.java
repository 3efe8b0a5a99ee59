package io.urma4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures everything that the foundation promises in figures, in one run: each subject beside a plain Java peer, in
 * turns, in pinned threads, as the median of at least five rounds.
 *
 * <p>{@code ./urma-bench/numbers --help} tells the options.
 */
public final class Numbers {
    private static final String HELP = """
            Usage: urma-bench/numbers [--quick] [--only NAME]... [--json FILE]

            Measures urma4j beside plain Java and raw UDP in C, in one run, and prints a table: a line per figure, with
            its limit. Takes about five minutes, wants two CPUs that nobody else uses, and a C compiler.

              --quick        about one minute: shorter rounds, and fewer
              --only NAME    that figure alone, or all whose names begin with NAME, such as udma; may be repeated
              --json FILE    writes the figures into FILE too
              --help         this text

            Ends with 0 when each limit was kept, 1 when one was missed, 2 for wrong options.
            """;

    private Numbers() {}

    /** What one run is asked for, and what it has found. */
    static final class Run {
        private final Alternation alternation;
        private final List<String> only;
        private final List<Figure> figures = new ArrayList<>();

        Run(Alternation alternation, List<String> only) {
            this.alternation = alternation;
            this.only = only;
        }

        Alternation alternation() {
            return alternation;
        }

        boolean wants(String name) {
            return only.isEmpty() || only.stream().anyMatch(name::startsWith);
        }

        /** Whether any figure whose name begins so is wanted. */
        boolean wantsSomeOf(String prefix) {
            return only.isEmpty() || only.stream().anyMatch(name -> name.startsWith(prefix) || prefix.startsWith(name));
        }

        /** Takes a figure into the table, and shows at once that something goes on. */
        void tell(Figure figure) {
            figures.add(figure);
            System.out.println(Table.line(figure));
        }
    }

    private record Options(
            boolean quick, List<String> only, @Nullable Path json) {
        static Options parse(String[] arguments) {
            boolean quick = false;
            List<String> only = new ArrayList<>();
            Path json = null;
            for (int i = 0; i < arguments.length; i++) {
                switch (arguments[i]) {
                    case "--quick" -> quick = true;
                    case "--only" -> only.add(valueOf(arguments, i++));
                    case "--json" -> json = Path.of(valueOf(arguments, i++));
                    default -> throw new IllegalArgumentException("unknown option '" + arguments[i] + "'");
                }
            }
            return new Options(quick, only, json);
        }

        private static String valueOf(String[] arguments, int option) {
            if (option + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[option] + " needs a value");
            }
            return arguments[option + 1];
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (List.of(arguments).contains("--help")) {
            System.out.print(HELP);
            return;
        }
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println("numbers: " + e.getMessage() + "; see --help");
            System.exit(2);
            return;
        }
        System.exit(measure(options) ? 0 : 1);
    }

    private static boolean measure(Options options) throws Exception {
        Alternation alternation = options.quick()
                ? new Alternation(5, 60_000_000L, 400_000_000L)
                : new Alternation(15, 200_000_000L, 1_000_000_000L);
        Run run = new Run(alternation, options.only());
        String machine = Table.machine();
        System.out.println(machine);
        System.out.println(Table.head());
        new OneSidedChapter(run).measure();
        new MeasuringChapter(run).measure();
        new PingPongChapter(run).measure();
        new MessageChapter(run).measure();
        new WaitingChapter(run).measure();
        new CountingChapter(run).measure();
        new SharingChapter(run).measure();
        new AllocationChapter(run, "shm0", "").measure();
        new UdmaChapter(run).measure();
        System.out.println(Table.foot(run.figures));
        if (options.json() != null) {
            write(options.json(), Table.json(machine, run.figures));
        }
        return run.figures.stream().allMatch(Figure::isKept);
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            System.err.println("numbers: cannot write " + file + ": " + e.getMessage());
            System.exit(1);
        }
    }
}
