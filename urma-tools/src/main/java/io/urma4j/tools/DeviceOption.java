package io.urma4j.tools;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which device a command uses. */
public final class DeviceOption {
    @Option(
            names = {"-d", "--device"},
            paramLabel = "DEVICE",
            description = "Device to use, as listed by 'urma devices'; default: the first suitable one.")
    private @Nullable String name;

    /** The name that was asked for, or null for any. */
    public @Nullable String name() {
        return name;
    }
}
