package io.urma4j.libc;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A file with one line, locked by this process while this object is open. The kernel releases the lock of a dead process. */
public final class LockFile {
    private static final int MAX_LINE_BYTES = 4096;

    private final Dir directory;
    private final String name;
    private final Fd file;

    private LockFile(Dir directory, String name, Fd file) {
        this.directory = directory;
        this.name = name;
        this.file = file;
    }

    /** Creates a file, or takes over that of a dead owner; empty while another process holds it. */
    public static Optional<LockFile> take(Dir directory, String name) {
        return locked(directory, name, directory.openOrCreateFile(name));
    }

    /** Takes over an existing file if it is not locked. */
    public static Optional<LockFile> takeExisting(Dir directory, String name) {
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
            return false;
        }
    }

    /** Whether no living process holds the file. */
    public static boolean isDead(Dir directory, String name) {
        try (Fd file = directory.openFile(name)) {
            return Flock.tryLock(file);
        } catch (LibcException e) {
            return e.errno() == Errno.ENOENT;
        }
    }

    /** Replaces the content; if that fails, the file is gone. */
    public void write(String line) throws IOException {
        try {
            Files.writeString(path(file), line + "\n");
        } catch (IOException e) {
            remove();
            throw e;
        }
    }

    /** The first line; empty if it is incomplete. */
    public String read() throws IOException {
        return read(file);
    }

    /**
     * The first line of a file; empty if the file is missing or incomplete.
     *
     * @throws IOException if the file is there and cannot be read, as in a process without free descriptors: that says nothing
     *     about its owner
     */
    public static String read(Dir directory, String name) throws IOException {
        try (Fd file = directory.openFile(name)) {
            return read(file);
        } catch (LibcException e) {
            if (e.errno() == Errno.ENOENT) {
                return "";
            }
            throw new IOException(e.getMessage(), e);
        }
    }

    /** The same; a file that cannot be read is taken for a missing one. */
    public static String readIfPossible(Dir directory, String name) {
        try {
            return read(directory, name);
        } catch (IOException e) {
            return "";
        }
    }

    static String read(Fd file) throws IOException {
        FileStatus status = FileStatus.of(file);
        if (!status.isRegularFile() || status.sizeBytes() > MAX_LINE_BYTES) {
            return ""; // no context wrote it, and to read a pipe could take for ever
        }
        try {
            String text = Files.readString(path(file));
            int end = text.indexOf('\n');
            return end < 0 ? "" : text.substring(0, end);
        } catch (CharacterCodingException e) {
            return ""; // no text: no context wrote it
        }
    }

    /** Another opening of the same file; the lock is not affected. */
    private static Path path(Fd file) {
        return Path.of("/proc/self/fd", Integer.toString(file.number()));
    }

    /** Releases the lock, and leaves the file. Idempotent. */
    public void release() {
        file.close();
    }

    /** Removes the name, then releases the lock. Idempotent. */
    public void remove() {
        if (!file.isClosed()) {
            try {
                directory.unlink(name);
            } finally {
                file.close();
            }
        }
    }
}
