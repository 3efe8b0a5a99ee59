package io.urma4j.tools;

import io.urma4j.udma.capture.CaptureSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma capture}: runs a program, and captures the packets of its network devices. */
@Command(
        name = "capture",
        description = {
            "Run a program, and capture the packets of its udma devices in a file for Wireshark and 'urma "
                    + "decode'.",
            "Does not need root: the program itself records the packets, with the headers that they have on "
                    + "the wire.",
            "The file is secret: a reader can forge packets of its connections while they last. Only its "
                    + "owner may read it.",
            "Corrupted packets are captured as they arrived. Packets dropped by URMA_UDMA_LOSS are not " + "captured.",
            "The command sets URMA_UDMA_CAPTURE for the program; you may also set it yourself. For a running "
                    + "process, use 'tcpdump -w FILE udp port 4791'."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma capture -o f.pcap urma demo --device udma0",
            "  urma capture -o f.pcap --limit 100M -- java -jar server.jar --port 80",
            "  urma decode f.pcap"
        },
        exitCodeList = {"0…255:exit code of the program", "1:the program cannot be run", "2:usage error"})
final class CaptureCommand implements Callable<Integer> {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description = "File to write, in pcap format. If several processes write at the same time, the process id "
                    + "becomes part of each name.")
    private Path output;

    @Option(
            names = "--limit",
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Maximum size of the file; later packets are not captured. Default: no limit.")
    private @Nullable Long limit;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "1..*",
            description = "The program and its arguments; 'urma' means this program.")
    private List<String> command;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path file = file();
        ChildProgram program = new ChildProgram(command);
        program.requirePresent(); // before the capture of an earlier run is deleted
        Files.deleteIfExists(file); // or a program without a device would leave the file of an earlier run
        Map<String, String> environment = new HashMap<>();
        environment.put(CaptureSettings.FILE_VARIABLE, file.toString());
        if (limit != null) {
            environment.put(CaptureSettings.LIMIT_VARIABLE, limit.toString());
        }
        int code = program.run(environment);
        if (!Files.exists(file)) {
            spec.commandLine().getErr().println("urma: the program opened no udma device, so there is no " + output);
        }
        return code;
    }

    /** The file to write: a new one, or a regular one to replace. A device node or a link stays. */
    private Path file() {
        Path file = output.toAbsolutePath();
        Path folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
            throw new CommandFailure("cannot write " + output + ": it is not a file in a directory");
        }
        boolean exists = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
        if (exists && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailure("cannot write " + output + ": it exists, and is no regular file");
        }
        return file;
    }
}
