package io.urma4j.tools;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.LocalSegment;
import io.urma4j.Revocation;
import io.urma4j.SharedMemory;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma share}: a file's bytes, or zeroed memory, as a segment, for as long as the command runs. */
@Command(
        name = "share",
        description = {
            "Share the content of a file, or zeroed memory, with other processes until Ctrl-C.",
            "",
            "Prints the line that other processes need to import it. The line contains the secret token: "
                    + "pass it by a pipe or a private file, never as an argument."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma share data.bin > line             then: urma fetch - -o copy.bin < line",
            "  urma share data.bin --name data        then: urma fetch shm:data -o copy.bin",
            "  urma share -n 4KiB --name counters     then: urma add shm:counters 0 1",
            "  urma share -n 1G --access rw --for 10m"
        })
final class ShareCommand implements Callable<Integer> {
    private static final int CHUNK_BYTES = 4 << 20;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    @ArgGroup(multiplicity = "1")
    private Content content;

    @Option(
            names = {"-a", "--access"},
            paramLabel = "ACCESS",
            converter = AccessConverter.class,
            description =
                    "Access for importers: r, rw or rwa (with atomics). Default: r for a file, rwa for zeroed memory.")
    private @Nullable Access access;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Publish it as shm:NAME for processes of this user on this host.")
    private @Nullable String name;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Stop after this time: 500ms, 30s, 5m, 2h.")
    private @Nullable Duration time;

    @Mixin
    private DeviceOption device;

    @Spec
    private CommandSpec spec;

    /** The memory to share: a file, or zeroed memory of a size. */
    static final class Content {
        @Parameters(
                paramLabel = "FILE",
                description = "File to share. Its content is copied, so later changes of the file are not visible.")
        private @Nullable Path file;

        @Option(
                names = {"-n", "--bytes"},
                paramLabel = "BYTES",
                converter = SizeConverter.class,
                description = "Share this number of zeroed bytes instead: 4096, 4KiB, 256M, 1G.")
        private @Nullable Long bytes;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        InputFile file = content.file == null ? null : InputFile.of(content.file);
        long sizeBytes = file != null ? file.sizeBytes() : zeroedBytes();
        String what = file != null ? "file '" + file.path() + "'" : "a segment of " + Units.bytes(sizeBytes);
        MemoryBudget.now().check(what, sizeBytes);
        try (Session session = Session.open(device.name())) {
            LocalSegment segment = segment(session, sizeBytes, file);
            if (name != null) {
                segment.publish(name);
            }
            printLine(segment);
            String kind = session.context().device().attributes().provider();
            say("sharing " + what + (file == null ? "" : " (" + Units.bytes(sizeBytes) + ")")
                    + " as " + AccessConverter.letters(segment.access())
                    + (name == null ? "" : " under " + kind + ":" + name)
                    + (time == null ? "; Ctrl-C ends it" : "; ends after " + Units.time(time)));
            awaitEnd();
            return end(segment);
        }
    }

    private long zeroedBytes() {
        Long bytes = content.bytes;
        if (bytes == null || bytes <= 0) {
            throw new ParameterException(
                    spec.commandLine(), "Invalid value for option '--bytes' (BYTES): there must be at least 1 byte");
        }
        return bytes;
    }

    private LocalSegment segment(Session session, long sizeBytes, @Nullable InputFile file) throws IOException {
        SharedMemory memory = Progress.during(
                spec.commandLine().getErr(),
                "reserving " + Units.bytes(sizeBytes),
                // so that a lack of memory fails here, and does not kill the process later
                () -> session.context().allocate(sizeBytes, AllocOptions.DEFAULT.withReserve()));
        if (file != null) {
            fill(memory.segment(), file);
        }
        Access usual = file == null ? Access.READ_WRITE_ATOMIC : Access.READ;
        return session.context().register(memory, access == null ? usual : access);
    }

    private void fill(MemorySegment memory, InputFile file) throws IOException {
        try (FileChannel channel = file.open();
                Progress progress = Progress.of(spec.commandLine().getErr(), "reading " + file.path())) {
            for (long at = 0; at < memory.byteSize(); ) {
                long length = Math.min(CHUNK_BYTES, memory.byteSize() - at);
                ByteBuffer chunk = memory.asSlice(at, length).asByteBuffer();
                int read = channel.read(chunk);
                if (read < 0) {
                    throw new CommandFailure("file '" + file.path() + "' became shorter while it was read: " + at
                            + " of " + memory.byteSize() + " bytes");
                }
                at += read;
                progress.at(at, memory.byteSize());
            }
        }
    }

    private void printLine(LocalSegment segment) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(segment.share());
        if (out.checkError()) { // flushes
            throw new CommandFailure("the share line has no reader: standard output is closed");
        }
    }

    private void awaitEnd() {
        try {
            Thread.sleep(time == null ? Duration.ofDays(36_500) : time);
        } catch (InterruptedException e) {
            // Ctrl-C: the ordinary end of this command, so it is no failure and the flag stays cleared
        }
    }

    /** Prints the importers that lose access, and revokes the memory. */
    private int end(LocalSegment segment) {
        List<String> users = segment.importers();
        say(
                users.isEmpty()
                        ? "ended; all importers have released it"
                        : "ended; still used by " + String.join(", ", users));
        Revocation revocation = segment.unregister(CLOSE_TIMEOUT);
        if (!revocation.isComplete()) {
            say("not released within " + Units.time(CLOSE_TIMEOUT) + ": " + String.join(", ", revocation.importers()));
            return 1;
        }
        return 0;
    }

    private void say(String text) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("urma: " + text);
        err.flush();
    }
}
