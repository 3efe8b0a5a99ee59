package io.urma4j.shm.control;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** The mount of a directory, as text: explains why it is full, or not shared with another process. */
final class Mount {
    private Mount() {}

    /** The mount of a path, or of the nearest existing directory above it, and its free space. */
    static String of(Path path) {
        Path nearest = path.toAbsolutePath().normalize();
        while (!Files.exists(nearest) && nearest.getParent() != null) {
            nearest = nearest.getParent();
        }
        try {
            FileStore store = Files.getFileStore(nearest);
            return nearest + " is on the mount " + store + " of type " + store.type()
                    + (store.isReadOnly() ? ", read-only" : "") + ", where " + store.getUsableSpace() / 1024 + " of "
                    + store.getTotalSpace() / 1024 + " KiB are free";
        } catch (IOException e) {
            return "the mount of " + nearest + " is unknown: " + e.getMessage();
        }
    }
}
