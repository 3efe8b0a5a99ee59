package io.urma4j.udma.capture;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Whether a process keeps what its devices send and receive: the system properties {@code urma.udma.capture} and {@code
 * urma.udma.capture.limit}, or the environment's {@code URMA_UDMA_CAPTURE} and {@code URMA_UDMA_CAPTURE_LIMIT}. Nothing is
 * kept unless a file is named.
 *
 * @param file where to
 * @param limitBytes the file does not get longer
 */
public record CaptureSettings(Path file, long limitBytes) {
    public static final String FILE_VARIABLE = "URMA_UDMA_CAPTURE";
    public static final String LIMIT_VARIABLE = "URMA_UDMA_CAPTURE_LIMIT";

    private static final String FILE_PROPERTY = "urma.udma.capture";
    private static final String LIMIT_PROPERTY = "urma.udma.capture.limit";

    /** The settings of this process; null when nothing is to be kept. */
    public static @Nullable CaptureSettings ofThisProcess() {
        return of(System::getProperty, System::getenv);
    }

    /**
     * Reads settings.
     *
     * @throws IllegalArgumentException for a limit that is no number of bytes, or a file whose name cannot be
     */
    static @Nullable CaptureSettings of(
            UnaryOperator<@Nullable String> properties, UnaryOperator<@Nullable String> environment) {
        String file = either(properties.apply(FILE_PROPERTY), environment.apply(FILE_VARIABLE));
        if (file == null) {
            return null;
        }
        String limit = either(properties.apply(LIMIT_PROPERTY), environment.apply(LIMIT_VARIABLE));
        try {
            return new CaptureSettings(Path.of(file), limit == null ? PcapWriter.UNLIMITED : bytes(limit));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("capture file '" + file + "': " + e.getMessage(), e);
        }
    }

    private static @Nullable String either(@Nullable String first, @Nullable String second) {
        String chosen = first == null ? second : first;
        return chosen == null || chosen.isBlank() ? null : chosen;
    }

    private static long bytes(String text) {
        try {
            long bytes = Long.parseLong(text);
            if (bytes > 0) {
                return bytes;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(refusal(text), e);
        }
        throw new IllegalArgumentException(refusal(text));
    }

    private static String refusal(String text) {
        return "capture limit '" + text + "' is no positive number of bytes";
    }

    /** Begins the file. */
    public PcapWriter open() throws IOException {
        return PcapWriter.create(file, limitBytes, InstantSource.system());
    }
}
