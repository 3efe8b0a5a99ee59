package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Classes of core, shm and udma stay short enough to be read in one sitting, and packages free of large cycles. {@code
 * etc/sizes} counts; an exception is named here, and the Javadoc of its class gives the reason.
 */
class SizesTest {
    private static final List<String> LONG_FILES = List.of("Jfs");
    private static final List<String> MANY_FIELDS = List.of("Wqe", "WorkRequest");
    private static final Map<String, Integer> LARGE_CYCLES = Map.of("io.urma4j", 25);
    private static final int CYCLE_LIMIT = 12;

    private static String printed = "";

    @BeforeAll
    static void count() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String root = Checkout.ROOT.toString();
        Process sizes = new ProcessBuilder(java, root + "/etc/Sizes.java", root, root)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (InputStream output = sizes.getInputStream()) {
            printed = new String(output.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(printed).contains("## Asserts in main sources"); // the section behind those that are read here
    }

    @Test
    void filesAreShort() {
        assertThat(names("Files above 450 lines", "- \\d+ \\S+ (\\S+)")).containsExactlyElementsOf(LONG_FILES);
    }

    @Test
    void classesHaveFewMutableFields() {
        assertThat(names("Classes with more than 15 mutable instance fields", "- \\d+ of \\d+ \\S+ (\\S+)"))
                .containsExactlyElementsOf(MANY_FIELDS);
    }

    @Test
    void cyclesAreSmall() {
        Map<String, Integer> cycles = found(
                        "Largest cycle of types in each package", "\\| (io\\S+) \\| \\d+ \\| (\\d+) \\|")
                .collect(Collectors.toMap(row -> row.group(1), row -> Integer.parseInt(row.group(2))));

        assertThat(cycles).containsKeys("io.urma4j", "io.urma4j.shm", "io.urma4j.udma.driver");
        assertThat(cycles)
                .allSatisfy((name, types) ->
                        assertThat(types).as(name).isLessThanOrEqualTo(LARGE_CYCLES.getOrDefault(name, CYCLE_LIMIT)));
    }

    private static List<String> names(String section, String row) {
        return found(section, row).map(match -> match.group(1)).toList();
    }

    private static Stream<MatchResult> found(String section, String row) {
        int start = printed.indexOf("## " + section);
        assertThat(start).as(section).isNotNegative();
        int end = printed.indexOf("\n## ", start);
        return Pattern.compile("^" + row, Pattern.MULTILINE)
                .matcher(printed.substring(start, end))
                .results();
    }
}
