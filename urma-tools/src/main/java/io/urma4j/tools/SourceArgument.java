package io.urma4j.tools;

import io.urma4j.tools.Source.Found;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The first argument of commands that work on memory of another process. */
final class SourceArgument {
    @Parameters(
            index = "0",
            paramLabel = Source.LABEL,
            converter = Source.Converter.class,
            description = Source.DESCRIPTION)
    private Source source;

    @Mixin
    private DeviceOption device;

    boolean isStandardInput() {
        return source instanceof Source.StandardInput;
    }

    /** Finds the segment; blocks while a line has not come yet, or its home does not answer. */
    Found find() throws IOException {
        // not System.in: Ctrl-C must end the wait for a line, and only a channel can be interrupted; it stays open
        // for readers of the input after the line
        return source.find(device, Channels.newInputStream(new FileInputStream(FileDescriptor.in).getChannel()));
    }
}
