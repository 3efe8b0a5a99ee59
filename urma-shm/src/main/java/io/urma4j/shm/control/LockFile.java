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

/** A file with one line, locked by us as long as this object is open. */
final class LockFile {
    private final Dir directory;
    private final String name;
    private final Fd file;

    private LockFile(Dir directory, String name, Fd file) {
        this.directory = directory;
        this.name = name;
        this.file = file;
    }

    /** Makes or takes over a file that nobody else has locked. */
    static Optional<LockFile> take(Dir directory, String name) {
        try {
            return locked(directory, name, directory.openOrCreateFile(name));
        } catch (LibcException e) {
            throw RuntimeDirectory.noRoom(directory, e);
        }
    }

    /** Takes over a file that exists, if nobody else has locked it. */
    static Optional<LockFile> takeExisting(Dir directory, String name) {
        try {
            return locked(directory, name, directory.openFile(name));
        } catch (LibcException e) {
            return Optional.empty(); // it went away, or is something else that nobody of us made
        }
    }

    private static Optional<LockFile> locked(Dir directory, String name, Fd file) {
        // whoever had the lock before us may have removed the name meanwhile, and somebody may have made it anew
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

    /** Replaces what it says; when that fails, the file is gone. */
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

    /** What a file says: its first line, or nothing when it is not complete. */
    static String read(Fd file) {
        try {
            String text = Files.readString(path(file));
            int end = text.indexOf('\n');
            return end < 0 ? "" : text.substring(0, end);
        } catch (IOException e) {
            return ""; // no text: nobody of us wrote it
        }
    }

    /** Another opening of the very same file: the lock is not touched. */
    private static Path path(Fd file) {
        return Path.of("/proc/self/fd", Integer.toString(file.number()));
    }

    /** Removes the name, then gives up the lock. */
    void remove() {
        directory.unlink(name);
        file.close();
    }
}
