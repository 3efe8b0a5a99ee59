package io.urma4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Where figures go to, tried before anything is measured: that takes minutes, and would be lost. */
public final class Destination {
    private Destination() {}

    /** Throws unless the file is there and can be written, or can be made. */
    public static void checkFile(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || Files.isDirectory(file)) {
            throw new IOException("'" + file + "' is a folder, no file can be made there");
        }
        if (!Files.exists(file)) {
            checkFolder(folder);
            return;
        }
        try {
            Files.newByteChannel(file, StandardOpenOption.WRITE).close();
        } catch (IOException e) {
            throw new IOException("'" + file + "' cannot be written: " + e, e);
        }
    }

    /** Throws unless files can be made in the folder. */
    public static void checkFolder(Path folder) throws IOException {
        try {
            Files.delete(Files.createTempFile(folder, ".urma", ""));
        } catch (IOException e) {
            throw new IOException("no file can be made in '" + folder + "': " + e, e);
        }
    }

    /** Makes the folder where it is not there yet, and throws unless files can be made in it. */
    public static void makeFolder(Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new IOException("the folder '" + folder + "' cannot be made: " + e, e);
        }
        checkFolder(folder);
    }
}
