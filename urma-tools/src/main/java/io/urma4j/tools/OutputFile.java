package io.urma4j.tools;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A file that appears under its name only when it is complete: it is written under another name, and renamed at the
 * end. A special file, such as {@code /dev/null}, is written directly.
 */
public final class OutputFile implements AutoCloseable {
    private final FileChannel channel;
    private final Path target;
    private final @Nullable Path partial;

    private OutputFile(FileChannel channel, Path target, @Nullable Path partial) {
        this.channel = channel;
        this.target = target;
        this.partial = partial;
    }

    public static OutputFile create(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new CommandFailure("output '" + path + "' is a directory");
        }
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            return new OutputFile(FileChannel.open(path, StandardOpenOption.WRITE), path, null);
        }
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) { // else the message would name the partial file
            throw new CommandFailure("output '" + path + "': there is no directory '" + folder + "'");
        }
        // a link stays a link: what it points to is replaced
        Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
        Path partial = target.resolveSibling("." + target.getFileName() + "."
                + Long.toHexString(ThreadLocalRandom.current().nextLong()) + ".part");
        return new OutputFile(open(partial, target), target, partial);
    }

    /** Opens the partial file, with the permissions of the one that it will replace. */
    private static FileChannel open(Path partial, Path target) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        if (!Files.exists(target)) {
            return FileChannel.open(partial, options);
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(target);
        FileChannel channel = FileChannel.open(partial, options, PosixFilePermissions.asFileAttribute(permissions));
        try {
            Files.setPosixFilePermissions(partial, permissions); // also those that the umask withholds
            return channel;
        } catch (IOException | RuntimeException e) { // as of a file system without permissions
            channel.close();
            Files.deleteIfExists(partial);
            throw e;
        }
    }

    public FileChannel channel() {
        return channel;
    }

    /** Writes text, in UTF-8. An interrupt, as by a closed standard output, stays set and does not close the file. */
    public void write(String text) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
        boolean wasInterrupted = Thread.interrupted();
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Renames the complete file to its name. */
    public void commit() throws IOException {
        channel.close();
        if (partial != null) {
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Without {@link #commit}: deletes the partial file. */
    @Override
    public void close() throws IOException {
        channel.close();
        if (partial != null) {
            Files.deleteIfExists(partial);
        }
    }
}
