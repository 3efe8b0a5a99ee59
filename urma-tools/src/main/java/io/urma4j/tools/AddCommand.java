package io.urma4j.tools;

import io.urma4j.Access;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.tools.Source.Found;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma add}: one atomic addition. */
@Command(
        name = "add",
        description = "Atomically add to the 8 bytes at an offset of remote memory that is shared as rwa; print the "
                + "previous value.",
        footerHeading = "%nExamples:%n",
        footer = {"  urma add shm:counters 0 1", "  urma add @line 4KiB -5"})
final class AddCommand implements Callable<Integer> {
    @Mixin
    private SourceArgument source;

    @Parameters(
            index = "1",
            paramLabel = "OFFSET",
            converter = SizeConverter.class,
            description = "Offset of the 8 bytes: a multiple of 8.")
    private long offset;

    @Parameters(index = "2", paramLabel = "DELTA", description = "Value to add; may be negative.")
    private long delta;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    /** Lets {@code -5} be a number, and no option. */
    static void takeNegativeNumbers(CommandLine root) {
        Objects.requireNonNull(root.getSubcommands().get("add")).setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    public Integer call() throws IOException {
        if (offset % Long.BYTES != 0) {
            throw new ParameterException(spec.commandLine(), "OFFSET: " + offset + " is not a multiple of 8");
        }
        try (Found found = source.find();
                RemoteSegment segment = found.importAs(Access.READ_WRITE_ATOMIC, "add");
                RemoteMemory remote = RemoteMemory.of(segment)) {
            long before = remote.fetchAndAdd(offset, delta);
            PrintWriter out = spec.commandLine().getOut();
            if (json.isAsked()) {
                Json.print(out, Map.of("before", before));
            } else {
                out.println(before);
                out.flush();
            }
            return 0;
        }
    }
}
