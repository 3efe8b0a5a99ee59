package io.urma4j.shm.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What lies in a runtime directory: two files for each context that lives, and what the dead left. */
final class RuntimeFiles {
    private RuntimeFiles() {}

    /** The names of the files, but for the folder of published names. */
    static List<String> of(Path directory) {
        try (var files = Files.newDirectoryStream(directory, Files::exists)) {
            List<String> names = new ArrayList<>();
            files.forEach(file -> names.add(file.getFileName().toString()));
            names.remove("names");
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
