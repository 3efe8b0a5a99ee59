package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/settings.md has each setting of the library, and no module reads one that is not on it. */
class SettingsPageTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Path PAGE = ROOT.resolve("docs/settings.md");

    /** A setting by its name, in quotes. */
    private static final Pattern NAME = Pattern.compile("\"(urma\\.[a-z.]*[a-z]|URMA_[A-Z_]+)\"");

    /** Read by the tests of urma4j and by its benchmarks, which the page is not about. */
    private static final Pattern OF_TESTS = Pattern.compile(
            "urma\\.(full|record|mutant|closes|root|folder|cpu|bench\\..*)" + "|urma\\.tck\\.home\\.launcher");

    @Test
    void thePageHasTheTableOfTheCode() throws IOException {
        String table = Arrays.stream(Setting.values()).map(Setting::row).collect(Collectors.joining("\n"));

        assertThat(Files.readString(PAGE))
                .as("docs/settings.md is stale; its table is to be\n%s", table)
                .contains("|---|---|---|---|\n" + table + "\n\n");
    }

    @Test
    void eachNameThatTheSourcesReadIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);

        assertThat(namesIn(
                        "urma-core",
                        "urma-native",
                        "urma-shm",
                        "urma-udma",
                        "urma-tck",
                        "urma-tools",
                        "urma-bench",
                        "urma-socket"))
                .contains("urma.udma.addresses", "URMA_RUNTIME_DIR")
                .allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
    }

    @Test
    void theLibraryReadsSettingsByTheRegistryAlone() throws IOException {
        List<String> registered = Arrays.stream(Setting.values())
                .flatMap(setting -> Stream.of(setting.property(), setting.variable()))
                .toList();

        assertThat(namesIn("urma-native", "urma-shm", "urma-udma")).isEmpty();
        assertThat(registered).containsAll(namesIn("urma-core"));
    }

    private static Set<String> namesIn(String... modules) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String module : modules) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .flatMap(file -> NAME.matcher(text(file)).results())
                        .map((MatchResult result) -> result.group(1))
                        .filter(name -> !OF_TESTS.matcher(name).matches())
                        .forEach(names::add);
            }
        }
        return names;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
