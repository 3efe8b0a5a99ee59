package io.urma4j.udma.capture;

import io.urma4j.spi.support.Setting;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;

/**
 * Whether a process keeps what its devices send and receive: the settings {@code urma.udma.capture}, a file, and {@code
 * urma.udma.capture.limit}, in bytes. Nothing is kept unless a file is named.
 *
 * @param file where to
 * @param limitBytes the file does not get longer
 */
public record CaptureSettings(Path file, long limitBytes) {
    /** What names the file in the environment of a process. */
    public static final String FILE_VARIABLE = Setting.UDMA_CAPTURE.variable();

    public static final String LIMIT_VARIABLE = Setting.UDMA_CAPTURE_LIMIT.variable();

    private static final String FILE_SETTING = Setting.UDMA_CAPTURE.property();
    private static final String LIMIT_SETTING = Setting.UDMA_CAPTURE_LIMIT.property();

    /**
     * Reads settings; empty when nothing is to be kept.
     *
     * @param settings values by their names
     * @throws IllegalArgumentException for a limit that is no number of bytes, or a file whose name cannot be
     */
    public static Optional<CaptureSettings> of(Function<String, Optional<String>> settings) {
        Optional<String> file = settings.apply(FILE_SETTING);
        if (file.isEmpty()) {
            return Optional.empty();
        }
        long limitBytes =
                settings.apply(LIMIT_SETTING).map(CaptureSettings::bytes).orElse(PcapWriter.UNLIMITED);
        try {
            return Optional.of(new CaptureSettings(Path.of(file.get()), limitBytes));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("capture file '" + file.get() + "': " + e.getMessage(), e);
        }
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
        return "capture limit '" + text + "' must be a positive number of bytes";
    }

    /** Begins the file. */
    public PcapWriter open() throws IOException {
        return PcapWriter.create(file, limitBytes, InstantSource.system());
    }
}
