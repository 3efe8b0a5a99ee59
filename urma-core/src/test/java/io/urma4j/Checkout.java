package io.urma4j;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The files of this source tree, without what builds and git put there; for tests of pages and sources. */
final class Checkout {
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private Checkout() {}

    /** The files whose name, from the root on, is wanted. */
    static List<Path> files(Predicate<String> wanted) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> wanted.test(name(file)))
                    .filter(file -> !name(file).matches("(.*/)?(target|\\.git|\\.mvn)/.*"))
                    .filter(Files::isRegularFile)
                    .toList();
        }
    }

    /** The name of a file from the root on. */
    static String name(Path file) {
        return ROOT.relativize(file).toString();
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
