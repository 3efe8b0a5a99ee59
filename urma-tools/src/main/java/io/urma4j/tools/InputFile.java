package io.urma4j.tools;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A file whose bytes are to be shared or sent; checked before any other work.
 *
 * @param sizeBytes more than 0
 */
public record InputFile(Path path, long sizeBytes) {
    /** Checks that it is a regular file, not empty, and readable by this user. */
    public static InputFile of(Path path) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                throw new CommandFailure("file '" + path + "' is a directory");
            }
            if (!attributes.isRegularFile()) {
                throw new CommandFailure("file '" + path + "' is not a regular file, so its size is unknown");
            }
            if (!Files.isReadable(path)) {
                throw new CommandFailure("file '" + path + "' may not be read by this user");
            }
            if (attributes.size() == 0) {
                throw new CommandFailure("file '" + path + "' is empty; there must be at least 1 byte");
            }
            return new InputFile(path, attributes.size());
        } catch (NoSuchFileException e) {
            throw new CommandFailure("file '" + path + "' does not exist", e);
        } catch (IOException e) {
            throw new CommandFailure("file '" + path + "' cannot be read: " + FailureReport.describe(e), e);
        }
    }

    /** Opens it for reading. */
    public FileChannel open() throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ);
    }
}
