package io.urma4j.shm.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A change to one source file that makes it wrong, and the test that must fail for it. A file of {@code etc/mutants}:
 *
 * <pre>
 * what: in words, with the rule that it breaks
 * file: path of the source, from the root of the repository
 * test: class#method
 * --- find
 * text that occurs once in the file, whatever its line breaks and indents
 * --- replace
 * what comes in its place
 * </pre>
 *
 * @param name of the file
 */
record PlantedBug(String name, String what, String file, String test, String find, String replacement) {
    private static final Pattern FORM = Pattern.compile(
            "what: (?<what>.+)\\nfile: (?<file>\\S+)\\ntest: (?<test>\\S+#\\w+)\\n--- find\\n(?<find>.+?)\\n"
                    + "--- replace\\n(?<replace>.*)",
            Pattern.DOTALL);

    /** The root of the repository: tests run in the folder of their module. */
    static Path root() {
        return Path.of("").toAbsolutePath().getParent();
    }

    /** All of them, by name. */
    static List<PlantedBug> all() throws IOException {
        try (Stream<Path> files = Files.list(root().resolve("etc/mutants"))) {
            return files.filter(file -> file.toString().endsWith(".mutant"))
                    .sorted()
                    .map(PlantedBug::read)
                    .toList();
        }
    }

    private static PlantedBug read(Path file) {
        try {
            Matcher parts = FORM.matcher(Files.readString(file));
            if (!parts.matches()) {
                throw new AssertionError(file + " is not of the form that PlantedBug tells");
            }
            String name = file.getFileName().toString().replace(".mutant", "");
            return new PlantedBug(
                    name,
                    parts.group("what"),
                    parts.group("file"),
                    parts.group("test"),
                    parts.group("find"),
                    parts.group("replace").stripTrailing());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The source with the bug in it. */
    String planted() throws IOException {
        String source = Files.readString(root().resolve(file));
        Matcher place = anchor().matcher(source);
        if (!place.find()) {
            throw new AssertionError(
                    "etc/mutants/" + name + ".mutant does not apply any more: " + file + " has no such text:\n" + find);
        }
        String planted = source.substring(0, place.start()) + replacement + source.substring(place.end());
        if (place.find()) {
            throw new AssertionError(
                    "etc/mutants/" + name + ".mutant is not unique: " + file + " has more than once:\n" + find);
        }
        return planted;
    }

    /** Blanks and line breaks count only as being there: formatting does not move an anchor. */
    private Pattern anchor() {
        return Pattern.compile(
                Stream.of(find.strip().split("\\s+")).map(Pattern::quote).collect(Collectors.joining("\\s+")));
    }

    @Override
    public String toString() {
        return name;
    }
}
