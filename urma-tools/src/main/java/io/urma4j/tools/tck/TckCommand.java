package io.urma4j.tools.tck;

import io.urma4j.UrmaException;
import io.urma4j.peer.PeerDeviceName;
import io.urma4j.tools.JsonOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code urma tck}: whether a device conforms to docs/semantics.md. */
@Command(
        name = "tck",
        description = {
            "Run the conformance suite on a device: every rule of docs/semantics.md, within one process and "
                    + "across processes.",
            "The last line counts passed, failed and skipped tests; a skipped test needs a feature that the "
                    + "device lacks."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma tck --device shm0",
            "  urma tck --device shm0 --filter S7.8 --filter RemoteMemory",
            "  urma tck --device shm0 --filter S15 --memory npu:1",
            "  urma tck --device mine0 --class-path my-provider.jar --patience 10",
            "  urma tck --device shm0 --write-report docs/conformance.md"
        })
public final class TckCommand implements Callable<Integer> {
    @Option(
            names = {"-d", "--device"},
            paramLabel = "DEVICE",
            description = "Device to test; repeatable. Default: shm0.")
    private List<String> devices = List.of("shm0");

    @Option(
            names = {"-f", "--filter"},
            paramLabel = "WORD",
            description = "Run only the tests of this rule (S7.8) or section (S7), or with this text in their name; "
                    + "repeatable.")
    private List<String> filters = List.of();

    @Option(
            names = "--class-path",
            paramLabel = "PATH",
            description = "Class path of a provider that is not part of urma4j.")
    private @Nullable String classPath;

    @Option(names = "--full", description = "Run randomised tests in full instead of a sample; many times slower.")
    private boolean full;

    @Option(
            names = "--patience",
            paramLabel = "TIMES",
            description =
                    "Factor for all test timeouts, 1 or more, for devices with a slow path; above 1, large transfers "
                            + "are reduced.")
    private @Nullable Integer patience;

    @Option(
            names = "--memory",
            paramLabel = "CLIENT:N",
            description = "Device memory for the rules of S15, such as cuda:0. Default: npu:0, which is simulated.")
    private @Nullable String memory;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            description = "Seed, to repeat the random choices of an earlier run.")
    private @Nullable Long seed;

    @Option(
            names = "--write-report",
            paramLabel = "FILE",
            description = "Write the page of all rules, tests and results; not with --filter.")
    private @Nullable Path report;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (report != null && !filters.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--write-report needs the whole suite, so it does not go with --filter");
        }
        if (patience != null && patience < 1) {
            throw new ParameterException(spec.commandLine(), "--patience is " + patience + ", the least is 1");
        }
        if (memory != null) {
            checkMemory(memory);
        }
        if (!TckJvm.hasSuite()) {
            List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
            return TckJvm.run(arguments, classPath);
        }
        if (seed != null) {
            System.setProperty("urma.seed", seed.toString()); // read by the tests, and by the processes they start
        }
        if (patience != null) {
            System.setProperty("urma.tck.patience", patience.toString());
        }
        if (memory != null) {
            System.setProperty("urma.tck.memory", memory);
        }
        if (full) {
            System.setProperty("urma.full", "true");
        }
        SuiteSession session = new SuiteSession(devices, filters, spec.commandLine());
        return session.run(json.isAsked(), report);
    }

    private void checkMemory(String name) {
        try {
            var _ = PeerDeviceName.parse(name);
        } catch (UrmaException e) {
            throw new ParameterException(
                    spec.commandLine(), "--memory is " + name + ", must be a client and a device, such as npu:0");
        }
    }
}
