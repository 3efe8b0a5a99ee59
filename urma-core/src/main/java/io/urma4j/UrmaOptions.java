package io.urma4j;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Options for opening the library. Immutable. */
public final class UrmaOptions {
    /** All settings from the environment. */
    public static final UrmaOptions DEFAULT = new UrmaOptions(null, Map.of());

    private final @Nullable Path runtimeDirectory;

    private final Map<String, String> settings;

    private UrmaOptions(@Nullable Path runtimeDirectory, Map<String, String> settings) {
        this.runtimeDirectory = runtimeDirectory;
        this.settings = Map.copyOf(settings);
    }

    /**
     * The runtime directory of the processes of one host: sockets, locks and names. By default the directory that {@code
     * URMA_RUNTIME_DIR} names, else {@code urma4j} below {@code XDG_RUNTIME_DIR}, else {@code urma4j-<uid>} below {@code
     * /tmp}.
     */
    public Optional<Path> runtimeDirectory() {
        return Optional.ofNullable(runtimeDirectory);
    }

    /** The same options with {@code directory} as runtime directory; it is created with mode 0700 if it does not exist. */
    public UrmaOptions withRuntimeDirectory(Path directory) {
        return new UrmaOptions(directory, settings);
    }

    /**
     * A setting of a provider, such as {@code urma.udma.addresses}: the value of {@link #withSetting}, else the system
     * property of that name, else the environment variable, {@code URMA_UDMA_ADDRESSES}. Empty text counts as unset, and
     * hides those behind it.
     */
    public Optional<String> setting(String name) {
        String value = settings.get(name);
        if (value == null) {
            value = System.getProperty(name);
        }
        if (value == null) {
            value = System.getenv(name.toUpperCase(Locale.ROOT).replace('.', '_'));
        }
        return Optional.ofNullable(value).filter(text -> !text.isEmpty());
    }

    /** The same options with a setting of a provider. */
    public UrmaOptions withSetting(String name, String value) {
        Map<String, String> more = new HashMap<>(settings);
        more.put(name, value);
        return new UrmaOptions(runtimeDirectory, more);
    }
}
