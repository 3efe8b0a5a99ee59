package io.urma4j.bench.gpu;

import io.urma4j.bench.Destination;
import io.urma4j.bench.Program;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program behind {@code urma-bench/gpu}: runs one part, and reports it. The script itself packs the archive. */
@Command(
        name = "gpu",
        sortOptions = false,
        usageHelpAutoWidth = true,
        customSynopsis = {"gpu --part PART --out DIR", "       gpu --pack FILE"},
        description = {
            "Test and measure memory of the NVIDIA GPU cuda:0, in parts of less than five minutes each. The archive of --pack"
                    + " does the same on a machine with a driver and no JDK, compiler or network.",
            "",
            "Exit code: 0 if all is well, or if the part was skipped since there is no device (the report says 'skipped:"
                    + " REASON'); 1 if something failed or is too slow; 2 for a usage error."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma-bench/gpu --pack gpu.tar.gz",
            "  mkdir gpu && tar -xzf gpu.tar.gz -C gpu && gpu/gpu --part contract --out report"
        })
public final class Gpu implements Callable<Integer> {
    /** The folder of the jars, as the script says. */
    private static final String JARS = "urma.bench.jars";

    @Option(
            names = "--part",
            paramLabel = "PART",
            required = true,
            description = {
                "contract: the contract of the driver's bindings, and the rules of S15 on cuda:0.",
                "copy: copies of each length and alignment, and their speed beside the driver's own calls.",
                "served: READs and WRITEs of another process on device memory, which its home serves, on shm0.",
                "ipc: the same on device memory that this process opens by IPC, from host and device memory, on shm0.",
                "kv: the blocks of a key-value cache on cuda:0, fetched and verified by another process, on shm0 and udma0."
            })
    private Part part;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            required = true,
            description = "Folder for the report, PART.txt and perhaps PART.json; made if it is not there.")
    private Path out;

    @Option(
            names = "--pack",
            paramLabel = "FILE",
            description =
                    "Write an archive (.tar.gz) that runs without JDK on x86-64 Linux, and print its size. Goes alone,"
                            + " and in a source tree only.")
    private @Nullable Path pack;

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean help;

    @Spec
    private CommandSpec spec;

    private final Optional<String> library;

    /** With the driver that is installed. */
    public Gpu() {
        this(Optional.empty());
    }

    /**
     * With another driver.
     *
     * @param library its path or name
     */
    public Gpu(Optional<String> library) {
        this.library = library;
    }

    public static void main(String[] arguments) {
        Program.run(new Gpu(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        if (pack != null) {
            throw new ParameterException(spec.commandLine(), "--pack goes alone, without --part and --out");
        }
        try {
            Destination.makeFolder(out);
        } catch (IOException e) {
            throw new IOException("--out: " + e.getMessage(), e);
        }
        try (Report report = Report.open(out, part.name(), spec.commandLine().getOut())) {
            report.line("%s, %d CPUs, Linux %s, JDK %s"
                    .formatted(
                            part,
                            Runtime.getRuntime().availableProcessors(),
                            System.getProperty("os.version"),
                            Runtime.version()));
            return run(new PartRun(report, library, Path.of(System.getProperty(JARS, "."))));
        }
    }

    private int run(PartRun run) {
        Report report = run.report();
        long start = System.nanoTime();
        try {
            part.run(run);
        } catch (SkippedException e) {
            report.line("skipped: " + e.getMessage());
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            report.failed("interrupted");
        } catch (Exception e) {
            report.failed(e.toString());
            for (StackTraceElement element : e.getStackTrace()) {
                report.line("    at " + element);
            }
        }
        report.line(String.format(
                Locale.ROOT,
                "%s: %s, %.0f s",
                part,
                report.failures() == 0 ? "passed" : report.failures() + " FAILED",
                (System.nanoTime() - start) / 1e9));
        return report.failures() == 0 ? 0 : 1;
    }
}
