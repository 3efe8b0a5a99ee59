package io.urma4j.tools;

import io.urma4j.tools.Source.Found;
import java.io.IOException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The first argument of commands that work on memory which somebody else shares. */
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
        return source.find(device, System.in);
    }
}
