package io.urma4j.shm.control;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a directory lies on, in words: for whoever must find out why it has no room, or is not the one of others. */
final class Mount {
    private Mount() {}

    /** The mount of a path, or of the nearest directory above it that exists, and how much of it is free. */
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
