package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Prose and comments name the component that acts, in the field's words. The baseline in {@code etc/words/baseline.txt} counts
 * the lines of each file that do not yet; a file may have fewer, and never more. {@code -Durma.record=true} writes the baseline
 * anew, which is right only where its numbers become smaller.
 */
class PlainEnglishTest {
    private static final Path BASELINE = Checkout.ROOT.resolve("etc/words/baseline.txt");
    private static final Pattern DATED = Pattern.compile("docs/notes/.*");

    /** Ten ways to speak of components as of persons, or past the field's term, and what to write instead. */
    private static final Map<String, Pattern> PATTERNS = Map.of(
            "name the thread or peer (\"the polling thread\"), not \"who polls\"",
            Pattern.compile("\\b[Ww]ho(ever)? (?!is\\b)[a-z]+s\\b"),
            "no component, no peer",
            Pattern.compile("\\b[Nn]obody\\b"),
            "a component, a peer, another process",
            Pattern.compile("\\b[Ss]omebody\\b"),
            "the component's name, or \"which\"",
            Pattern.compile("\\b[Ww]hom\\b"),
            "it, its",
            Pattern.compile("\\b([Hh]e|[Hh]is|[Hh]im)\\b"),
            "is notified, reports, returns",
            Pattern.compile("\\b(is|are|was|were) told\\b"),
            "is retransmitted",
            Pattern.compile("\\bsent again\\b"),
            "in flight, in progress",
            Pattern.compile("\\bunder way\\b"),
            "in flight",
            Pattern.compile("\\bon (its|their) way\\b"),
            "the count itself; while, if",
            Pattern.compile("\\b(so many|so long as|in vain)\\b"));

    @Test
    void noFileHasMoreOfTheWorstPatternsThanBefore() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        for (Path file : Checkout.files(PlainEnglishTest::isProse)) {
            List<String> lines = worstLines(file);
            if (!lines.isEmpty()) {
                found.put(Checkout.name(file), lines);
            }
        }
        if (Boolean.getBoolean("urma.record")) {
            Files.writeString(BASELINE, written(found));
        }
        Map<String, Integer> allowed = baseline();

        List<String> more = new ArrayList<>();
        List<String> fewer = new ArrayList<>();
        found.forEach((file, lines) -> {
            int limit = allowed.getOrDefault(file, 0);
            if (lines.size() > limit) {
                more.add(file + " has " + lines.size() + " such lines, at most " + limit + ":\n  "
                        + String.join("\n  ", lines));
            }
        });
        allowed.forEach((file, limit) -> {
            int count = found.getOrDefault(file, List.of()).size();
            if (count < limit) {
                fewer.add(count + " " + file);
            }
        });
        assertThat(more)
                .as("write these lines in the words of docs/vocabulary.md and CONTRIBUTING.md")
                .isEmpty();
        assertThat(fewer)
                .as("better than etc/words/baseline.txt: put these counts there, so that they stay")
                .isEmpty();
    }

    private static boolean isProse(String name) {
        return name.matches(".*\\.(java|md|sh)")
                && !DATED.matcher(name).matches()
                && !name.endsWith(PlainEnglishTest.class.getSimpleName() + ".java");
    }

    private static List<String> worstLines(Path file) {
        List<String> worst = new ArrayList<>();
        List<String> lines = Checkout.text(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            int number = i + 1;
            PATTERNS.forEach((instead, pattern) -> {
                var match = pattern.matcher(line);
                if (match.find()) {
                    worst.add(number + ": \"" + match.group() + "\", better: " + instead);
                }
            });
        }
        return worst;
    }

    private static String written(Map<String, List<String>> found) {
        return found.entrySet().stream()
                .map(entry -> entry.getValue().size() + " " + entry.getKey() + "\n")
                .collect(Collectors.joining());
    }

    private static Map<String, Integer> baseline() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        for (String line : Files.readAllLines(BASELINE)) {
            String[] parts = line.split(" ", 2);
            counts.put(parts[1], Integer.valueOf(parts[0]));
        }
        return counts;
    }
}
