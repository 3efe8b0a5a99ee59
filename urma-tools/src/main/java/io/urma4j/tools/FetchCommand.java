package io.urma4j.tools;

import io.urma4j.Access;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.tools.Source.Found;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code urma fetch}: bytes of remote memory into a file or to stdout. */
@Command(
        name = "fetch",
        description = "Read remote memory, and write it to standard output or a file.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma fetch - -o copy.bin < line",
            "  urma fetch @line | sha256sum",
            "  urma fetch shm:counters --length 8 | od -A n -t d8"
        })
final class FetchCommand implements Callable<Integer> {
    private static final int CHUNK_BYTES = 1 << 20;

    @Mixin
    private SourceArgument source;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "File to write; it appears only after all bytes have been read.")
    private @Nullable Path output;

    @Option(
            names = "--offset",
            paramLabel = "BYTES",
            defaultValue = "0",
            converter = SizeConverter.class,
            description = "Offset to start at; default: ${DEFAULT-VALUE}.")
    private long offset;

    @Option(
            names = "--length",
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Number of bytes to read; default: up to the end.")
    private @Nullable Long length;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        try (Found found = source.find();
                RemoteSegment segment = found.importAs(Access.READ, "fetch");
                RemoteMemory remote = RemoteMemory.of(segment)) {
            long lengthBytes = Ranges.length(offset, length, remote.lengthBytes());
            if (output == null) {
                try (var stdout = new FileOutputStream(FileDescriptor.out)) {
                    copy(remote, lengthBytes, stdout.getChannel());
                }
            } else {
                try (OutputFile file = OutputFile.create(output)) {
                    copy(remote, lengthBytes, file.channel());
                    file.commit();
                }
            }
            return 0;
        }
    }

    private void copy(RemoteMemory remote, long lengthBytes, WritableByteChannel to) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(Math.clamp(lengthBytes, 1, CHUNK_BYTES));
        try (Progress progress = Progress.of(spec.commandLine().getErr(), "fetching")) {
            for (long done = 0; done < lengthBytes; done += chunk.limit()) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), lengthBytes - done));
                remote.read(offset + done, MemorySegment.ofBuffer(chunk));
                while (chunk.hasRemaining()) {
                    to.write(chunk);
                }
                progress.at(done, lengthBytes);
            }
        }
    }
}
