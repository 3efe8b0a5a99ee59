package io.urma4j.tools;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which device a command uses. */
public final class DeviceOption {
    @Option(
            names = {"-d", "--device"},
            paramLabel = "DEVICE",
            description = "Device to use, as 'urma devices' names it; by default the first that fits.")
    private @Nullable String name;

    /** The name that was asked for, or null for any. */
    public @Nullable String name() {
        return name;
    }
}
