package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * An administrator, or a time server, may set the clock on the wall to any time. Everything that waits, retransmits or
 * evicts goes by {@link System#nanoTime}, which no setting moves, and which never goes back.
 */
class WallClockTest {
    private static final Pattern READS = Pattern.compile("currentTimeMillis|Instant\\.now|InstantSource|Clock\\.system"
            + "|LocalDateTime\\.now|ZonedDateTime\\.now|OffsetDateTime\\.now|new Date\\(|gettimeofday|CLOCK_REALTIME");
    private static final List<String> LIBRARIES = List.of("urma-core", "urma-native", "urma-shm", "urma-udma");

    /** What people read is dated: when a context was opened, when an event was, when a packet was captured. */
    private static final Pattern DATED = Pattern.compile("EventHistory|Inventory|/capture/|driver/Capture\\.java");

    @Test
    void nothingWaitsByTheClockOnTheWall() throws IOException {
        List<String> readers = new ArrayList<>();
        int files = 0;
        for (String library : LIBRARIES) {
            for (Path file : sources(Path.of("..", library, "src", "main", "java"))) {
                files++;
                if (READS.matcher(Files.readString(file)).find()) {
                    readers.add(file.toString());
                }
            }
        }

        assertThat(files).isGreaterThan(300);
        assertThat(readers).as("the pattern finds those that it must").hasSizeGreaterThan(2);
        assertThat(readers).filteredOn(file -> !DATED.matcher(file).find()).isEmpty();
    }

    private static List<Path> sources(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
