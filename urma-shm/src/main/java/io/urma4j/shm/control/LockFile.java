package io.urma4j.shm.control;

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

/** A file with one line, locked by this process while this object is open. */
final class LockFile {
    private final Dir directory;
    private final String name;
    private final Fd file;

    private LockFile(Dir directory, String name, Fd file) {
        this.directory = directory;
        this.name = name;
        this.file = file;
    }

    /** Creates a file, or takes over one that is not locked. */
    static Optional<LockFile> take(Dir directory, String name) {
        try {
            return locked(directory, name, directory.openOrCreateFile(name));
        } catch (LibcException e) {
            throw RuntimeDirectory.noRoom(directory, e);
        }
    }

    /** Takes over an existing file if it is not locked. */
    static Optional<LockFile> takeExisting(Dir directory, String name) {
        try {
            return locked(directory, name, directory.openFile(name));
        } catch (LibcException e) {
            return Optional.empty(); // it disappeared, or no context created it
        }
    }

    private static Optional<LockFile> locked(Dir directory, String name, Fd file) {
        // the previous holder of the lock may have removed the name meanwhile, and another process may have created it
        // again
        if (Flock.tryLock(file) && isStillNamed(directory, name, file)) {
            return Optional.of(new LockFile(directory, name, file));
        }
        file.close();
        return Optional.empty();
    }

    private static boolean isStillNamed(Dir directory, String name, Fd file) {
        try {
            return FileStatus.of(file).isSameFile(directory.status(name));
        } catch (LibcException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    /** Replaces the content; if that fails, the file is gone. */
    void write(String line) {
        try {
            Files.writeString(path(file), line + "\n");
        } catch (IOException e) {
            remove();
            throw RuntimeDirectory.noRoom(directory, e);
        }
    }

    String read() {
        return read(file);
    }

    /** The content of a file: its first line, or empty if it is incomplete. */
    static String read(Fd file) {
        try {
            String text = Files.readString(path(file));
            int end = text.indexOf('\n');
            return end < 0 ? "" : text.substring(0, end);
        } catch (IOException e) {
            return ""; // no text: no context wrote it
        }
    }

    /** Another opening of the same file; the lock is not affected. */
    private static Path path(Fd file) {
        return Path.of("/proc/self/fd", Integer.toString(file.number()));
    }

    /** Removes the name, then releases the lock. */
    void remove() {
        directory.unlink(name);
        file.close();
    }
}
