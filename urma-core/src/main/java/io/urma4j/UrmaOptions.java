package io.urma4j;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How the library is to be opened. Immutable. */
public final class UrmaOptions {
    /** Everything as the environment says. */
    public static final UrmaOptions DEFAULT = new UrmaOptions(null);

    private final @Nullable Path runtimeDirectory;

    private UrmaOptions(@Nullable Path runtimeDirectory) {
        this.runtimeDirectory = runtimeDirectory;
    }

    /**
     * Where processes of one host meet: sockets, locks and names. By default the folder that {@code URMA_RUNTIME_DIR}
     * names, else {@code urma4j} below {@code XDG_RUNTIME_DIR}, else {@code urma4j-<uid>} below {@code /tmp}.
     */
    public Optional<Path> runtimeDirectory() {
        return Optional.ofNullable(runtimeDirectory);
    }

    /** The same, but meeting in {@code directory}, which is made with mode 0700 when it does not exist. */
    public UrmaOptions withRuntimeDirectory(Path directory) {
        return new UrmaOptions(directory);
    }
}
