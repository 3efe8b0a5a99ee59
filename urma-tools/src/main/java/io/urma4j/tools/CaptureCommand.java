package io.urma4j.tools;

import io.urma4j.udma.capture.CaptureSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma capture}: runs a program, and keeps what its network devices send and receive. */
@Command(
        name = "capture",
        description = {
            "Run a program, and keep in a file what its udma devices send and receive, for Wireshark and 'urma decode'.",
            "Nobody needs to be root for it: the packets are taken in the program, with headers as they have on the wire.",
            "The file is secret: whoever reads it can forge packets of the connections in it while they last. Only its"
                    + " owner may read it.",
            "A packet that arrives damaged is kept as it came; one that URMA_UDMA_LOSS loses is not, as if the network had.",
            "It sets URMA_UDMA_CAPTURE for the program, which you may do yourself; for a process that runs already it is"
                    + " too late: 'tcpdump -w FILE udp port 4791' sees that one too."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma capture -o f.pcap urma demo --device udma0",
            "  urma capture -o f.pcap --limit 100M -- java -jar server.jar --port 80",
            "  urma decode f.pcap"
        },
        exitCodeList = {"0…255:that of the program", "1:it cannot be run", "2:wrong use"})
final class CaptureCommand implements Callable<Integer> {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description =
                    "File to write, in the pcap format. Of several processes at a time each has its own: the number"
                            + " of the process is put into the name.")
    private Path output;

    @Option(
            names = "--limit",
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Longest that the file gets; what comes later is left out. By default there is no limit.")
    private @Nullable Long limit;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "1..*",
            description = "The program and its arguments; 'urma' is this very one.")
    private List<String> command;

    @Spec
    private CommandSpec spec;

    /** What is behind the program's name is the program's. */
    static void leaveOptionsOfTheProgram(CommandLine urma) {
        CommandLine capture = urma.getSubcommands().get("capture");
        if (capture == null) {
            throw new AssertionError("urma has no subcommand 'capture'");
        }
        capture.setStopAtPositional(true);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path file = output.toAbsolutePath();
        Path folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
            throw new CommandFailure("cannot write " + output + ": that is no file in a folder");
        }
        Files.deleteIfExists(file); // or a program without a device would leave that of an earlier run
        ProcessBuilder builder = new ProcessBuilder(line()).inheritIO();
        builder.environment().put(CaptureSettings.FILE_VARIABLE, file.toString());
        if (limit != null) {
            builder.environment().put(CaptureSettings.LIMIT_VARIABLE, limit.toString());
        }
        int code = run(builder);
        if (!Files.exists(file)) {
            spec.commandLine().getErr().println("urma: the program opened no udma device, so there is no " + output);
        }
        return code;
    }

    private int run(ProcessBuilder builder) throws InterruptedException {
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage());
            throw new CommandFailure(
                    reason.matches("(?s).*\\berror[:=] ?2\\b.*") ? "no program '" + command.getFirst() + "'" : reason,
                    e);
        }
        try {
            return process.waitFor();
        } finally {
            process.destroy(); // when we were interrupted; else it has ended
        }
    }

    private List<String> line() {
        if (!command.getFirst().equals("urma")) {
            return command;
        }
        List<String> line = new ArrayList<>(OwnLauncher.command());
        line.addAll(command.subList(1, command.size()));
        return line;
    }
}
