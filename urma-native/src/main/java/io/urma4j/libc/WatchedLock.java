package io.urma4j.libc;

import java.io.IOException;

/**
 * The {@link LockFile} of another owner, kept open: it tells of the owner's end also when the name is gone, or is that of
 * another file by then.
 */
public final class WatchedLock implements AutoCloseable {
    private final Fd file;

    private WatchedLock(Fd file) {
        this.file = file;
    }

    /** Opens the file: ENOENT. */
    public static WatchedLock open(Dir directory, String name) {
        return new WatchedLock(directory.openFile(name));
    }

    /** The first line; empty if it is incomplete. */
    public String read() throws IOException {
        return LockFile.read(file);
    }

    /** Whether the owner has released the lock, or its process has ended. Then this object holds the lock until it closes. */
    public boolean isReleased() {
        return Flock.tryLock(file);
    }

    @Override
    public void close() {
        file.close();
    }
}
