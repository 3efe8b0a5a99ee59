package io.urma4j.tck.mutants;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A change to one source file that makes it wrong, and the test that must fail for it. A file of {@code etc/mutants}:
 *
 * <pre>
 * what: a description, with the rule that it breaks
 * module: the module of the text, which may move from class to class in it
 * test: class#method, in the tests of any module, which plants the bug and runs the test; one such line for each module
 *     that must find it
 * --- find
 * text that occurs once in the module, whatever its line breaks and indents
 * --- replace
 * what comes in its place
 * </pre>
 *
 * @param name of the file
 */
record PlantedBug(String name, String what, String module, String test, String find, String replacement) {
    private static final Pattern FORM = Pattern.compile(
            "what: (?<what>.+)\\nmodule: (?<module>\\S+)\\n(?<tests>(?:test: \\S+#\\w+\\n)+)--- find\\n(?<find>.+?)\\n"
                    + "--- replace\\n(?<replace>.*)",
            Pattern.DOTALL);

    /** The root of the repository: tests run in the folder of their module. */
    static Path root() {
        return requireNonNull(Path.of("").toAbsolutePath().getParent());
    }

    /** All planted bugs of the repository, by name. */
    static List<PlantedBug> all() throws IOException {
        try (Stream<Path> files = Files.list(root().resolve("etc/mutants"))) {
            return files.filter(file -> file.toString().endsWith(".mutant"))
                    .sorted()
                    .flatMap(PlantedBug::read)
                    .toList();
        }
    }

    /** The planted bugs with a test in the module that runs now, by name. */
    static List<PlantedBug> testedHere() throws IOException {
        Path here = Path.of("").toAbsolutePath();
        return all().stream().filter(bug -> bug.isTestedIn(here)).toList();
    }

    /** Whether a module, given by its folder, has the test. */
    boolean isTestedIn(Path folder) {
        String owner = test.substring(0, test.indexOf('#'));
        int nested = owner.indexOf('$');
        String topLevel = nested < 0 ? owner : owner.substring(0, nested);
        return Files.exists(folder.resolve("src/test/java").resolve(topLevel.replace('.', '/') + ".java"));
    }

    /** One for each test that it names. */
    private static Stream<PlantedBug> read(Path file) {
        try {
            Matcher parts = FORM.matcher(Files.readString(file));
            if (!parts.matches()) {
                throw new AssertionError(file + " is not of the form that PlantedBug tells");
            }
            String name = file.getFileName().toString().replace(".mutant", "");
            return parts.group("tests")
                    .lines()
                    .map(line -> new PlantedBug(
                            name,
                            parts.group("what"),
                            parts.group("module"),
                            line.substring("test: ".length()),
                            parts.group("find"),
                            parts.group("replace").stripTrailing()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A source with the bug in it. */
    record Planted(Path file, String before, String source) {}

    /** Finds the one place for it. */
    Planted planted() throws IOException {
        List<Planted> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root().resolve(module).resolve("src/main/java"))) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".java")).toList()) {
                plant(file, found);
            }
        }
        if (found.size() != 1) {
            throw new AssertionError("etc/mutants/" + name + ".mutant finds " + found.size() + " places in " + module
                    + ", must find one: "
                    + found.stream().map(Planted::file).toList() + " for\n" + find);
        }
        return found.getFirst();
    }

    private void plant(Path file, List<Planted> found) throws IOException {
        String source = Files.readString(file);
        Matcher place = anchor().matcher(source);
        while (place.find()) {
            String planted = source.substring(0, place.start()) + replacement + source.substring(place.end());
            found.add(new Planted(file, source, planted));
        }
    }

    /** Any white space matches any other, so that formatting does not invalidate a planted bug. */
    private Pattern anchor() {
        return Pattern.compile(
                Stream.of(find.strip().split("\\s+")).map(Pattern::quote).collect(Collectors.joining("\\s+")));
    }

    @Override
    public String toString() {
        return name;
    }
}
