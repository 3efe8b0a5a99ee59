package io.urma4j.bench.gpu;

import io.urma4j.tools.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a part found, as lines in a file and on the standard output. Each line is there at once, so that a run which is ended
 * early keeps what it has. Of one thread.
 */
final class Report implements AutoCloseable {
    private final Path folder;
    private final String part;
    private final PrintWriter out;
    private final PrintWriter file;
    private int failures;

    private Report(Path folder, String part, PrintWriter out) throws IOException {
        this.folder = folder;
        this.part = part;
        this.out = out;
        this.file = new PrintWriter(Files.newBufferedWriter(folder.resolve(part + ".txt")), true);
    }

    /** Begins {@code PART.txt} in a folder that is there. */
    static Report open(Path folder, String part, PrintWriter out) throws IOException {
        return new Report(folder, part, out);
    }

    void line(String line) {
        out.println(line);
        out.flush();
        file.println(line);
    }

    /** Something does not hold, or is too slow. */
    void failed(String what) {
        failures++;
        line("FAILED " + what);
    }

    /** How many {@link #failed} there were. */
    int failures() {
        return failures;
    }

    /** Writes {@code PART.json}: the second file, and the last. */
    void json(Object value) throws IOException {
        try (PrintWriter json = new PrintWriter(Files.newBufferedWriter(folder.resolve(part + ".json")))) {
            Json.print(json, value);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
