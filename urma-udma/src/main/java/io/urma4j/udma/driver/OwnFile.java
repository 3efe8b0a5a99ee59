package io.urma4j.udma.driver;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Errno;
import io.urma4j.libc.Fd;
import io.urma4j.libc.FileStatus;
import io.urma4j.libc.Flock;
import io.urma4j.libc.LibcException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file of one line that this process has locked while this object is open. The kernel releases the lock of a dead
 * process.
 */
final class OwnFile {
    private final Dir directory;
    private final String name;
    private final Fd file;

    private OwnFile(Dir directory, String name, Fd file) {
        this.directory = directory;
        this.name = name;
        this.file = file;
    }

    /** Creates a file, or takes over that of a dead owner; empty while another process holds it. */
    static Optional<OwnFile> take(Dir directory, String name, String line) {
        try {
            Optional<OwnFile> taken = locked(directory, name, directory.openOrCreateFile(name));
            if (taken.isPresent()) {
                Files.writeString(pathOf(taken.get().file), line + "\n");
            }
            return taken;
        } catch (LibcException | IOException e) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM, directory, "file " + name + " cannot be created: " + e.getMessage(), e);
        }
    }

    /** Removes a file whose owner is dead. */
    static void removeIfDead(Dir directory, String name) {
        try {
            locked(directory, name, directory.openFile(name)).ifPresent(OwnFile::remove);
        } catch (LibcException e) {
            // it went away meanwhile
        }
    }

    /** Whether no living process holds the file. */
    static boolean isDead(Dir directory, String name) {
        try (Fd file = directory.openFile(name)) {
            return Flock.tryLock(file);
        } catch (LibcException e) {
            return e.errno() == Errno.ENOENT;
        }
    }

    private static Optional<OwnFile> locked(Dir directory, String name, Fd file) {
        // the previous holder of the lock may have removed the name meanwhile, and another process may have created it
        // again
        if (Flock.tryLock(file) && isStillNamed(directory, name, file)) {
            return Optional.of(new OwnFile(directory, name, file));
        }
        file.close();
        return Optional.empty();
    }

    private static boolean isStillNamed(Dir directory, String name, Fd file) {
        try {
            return FileStatus.of(file).isSameFile(directory.status(name));
        } catch (LibcException e) {
            return false;
        }
    }

    /** The content of a file; empty if it is missing or incomplete. */
    static String read(Dir directory, String name) {
        try (Fd file = directory.openFile(name)) {
            String text = Files.readString(pathOf(file));
            int end = text.indexOf('\n');
            return end < 0 ? "" : text.substring(0, end);
        } catch (LibcException | IOException e) {
            return "";
        }
    }

    /** Another opening of the same file; the lock is not affected. */
    private static Path pathOf(Fd file) {
        return Path.of("/proc/self/fd", Integer.toString(file.number()));
    }

    /** Removes the name, then releases the lock. Idempotent. */
    void remove() {
        if (!file.isClosed()) {
            directory.unlink(name);
            file.close();
        }
    }
}
