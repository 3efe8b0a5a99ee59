package io.urma4j.tools;

import io.urma4j.Access;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.tools.Source.Found;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma put}: bytes of a file or of stdin into remote memory. */
@Command(
        name = "put",
        description = "Write a file or standard input into remote memory that is shared as rw or rwa.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma put @line data.bin",
            "  printf hello | urma put shm:board - --offset 4KiB",
        })
final class PutCommand implements Callable<Integer> {
    private static final int CHUNK_BYTES = 1 << 20;

    @Mixin
    private SourceArgument source;

    @Parameters(index = "1", paramLabel = "FILE", description = "File to write; '-' for standard input.")
    private String file;

    @Option(
            names = "--offset",
            paramLabel = "BYTES",
            defaultValue = "0",
            converter = SizeConverter.class,
            description = "Offset in the remote memory; default: ${DEFAULT-VALUE}.")
    private long offset;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        boolean stdin = file.equals("-");
        if (stdin && source.isStandardInput()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "SOURCE and FILE are both '-', and standard input cannot be both; put the share line into a file,"
                            + " and name it '@FILE'");
        }
        InputFile input = stdin ? null : InputFile.of(Path.of(file));
        try (Found found = source.find();
                RemoteSegment segment = found.importAs(Access.READ_WRITE, "put");
                RemoteMemory remote = RemoteMemory.of(segment)) {
            long limitBytes = Ranges.length(offset, input == null ? null : input.sizeBytes(), remote.lengthBytes());
            if (input != null) {
                try (var channel = input.open()) {
                    copy(channel, remote, limitBytes);
                }
            } else {
                try (var in = new FileInputStream(FileDescriptor.in)) {
                    copy(in.getChannel(), remote, limitBytes);
                }
            }
            return 0;
        }
    }

    private CommandFailure noRoom(long doneBytes, long segmentBytes) {
        if (offset == segmentBytes) {
            return new CommandFailure(
                    "offset " + offset + " is the end of the segment: there is no room, and nothing was written");
        }
        return new CommandFailure("there is more input than room: " + doneBytes + " bytes were written at offset "
                + offset + " of the segment of " + segmentBytes + " bytes");
    }

    private void copy(ReadableByteChannel from, RemoteMemory remote, long limitBytes) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        try (Progress progress = Progress.of(spec.commandLine().getErr(), "writing")) {
            long done = 0;
            while (from.read(chunk.clear()) >= 0) {
                chunk.flip();
                if (chunk.limit() > limitBytes - done) {
                    throw noRoom(done, remote.lengthBytes());
                }
                remote.write(offset + done, MemorySegment.ofBuffer(chunk));
                done += chunk.limit();
                progress.at(done, limitBytes);
            }
        }
    }
}
