package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Errno;
import io.urma4j.libc.FileStatus;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.LockFile;
import io.urma4j.libc.UserIds;
import io.urma4j.libc.WatchedLock;
import io.urma4j.shm.memory.Failures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The directory through which the contexts of one user find each other. It belongs to this user, with mode 0700, and is no
 * symbolic link: so it holds no files of other users, and no other user can reach a socket there.
 *
 * <pre>
 *   00c0de.lock   for UASID 0xc0de: flock'ed by its context; holds the name of its socket
 *   9f…e1         socket of a context, 128 random bits
 *   names/orders  flock'ed by the context that published the name; holds the home and the segment
 * </pre>
 *
 * <p>The kernel releases the lock of a dead process; the next context that acquires it removes that process's files.
 */
final class RuntimeDirectory implements AutoCloseable {
    private static final String LOCK_SUFFIX = ".lock";
    private static final String NAMES = "names";
    private static final int MAX_UASID = 0xFF_FFFF;
    private static final int PERMISSIONS = 0777;
    private static final int OWNER_ONLY = 0700;
    private static final int UASID_ATTEMPTS = 1000;

    private static final String OTHER_PLACE =
            "URMA_RUNTIME_DIR or UrmaOptions.withRuntimeDirectory selects another one";

    private final Dir directory;
    private final Dir names;

    private RuntimeDirectory(Dir directory, Dir names) {
        this.directory = directory;
        this.names = names;
    }

    /**
     * Opens the directory, and creates it if it does not exist.
     *
     * @throws UrmaException ENOPERM if other users can access it; FAIL if it cannot be created
     */
    static RuntimeDirectory open(Path path) {
        try {
            Dir directory = openOwn(path);
            try {
                makeNames(directory);
                return new RuntimeDirectory(directory, checked(directory.openDirectory(NAMES)));
            } catch (RuntimeException e) {
                directory.close();
                throw e;
            }
        } catch (LibcException e) {
            throw switch (e.errno()) {
                case Errno.ELOOP, Errno.ENOTDIR -> refused(path, "is a symbolic link or no directory");
                default ->
                    Failures.of(
                            "runtime directory " + path, "cannot be opened; " + mountOf(path) + "; " + OTHER_PLACE, e);
            };
        }
    }

    private static void makeNames(Dir directory) {
        try {
            directory.makeDirectory(NAMES);
        } catch (LibcException e) {
            throw noRoom(directory, e);
        }
    }

    private static Dir openOwn(Path path) {
        Path absolute = path.toAbsolutePath().normalize();
        Path parent = absolute.getParent();
        Path name = absolute.getFileName();
        if (parent == null || name == null) {
            throw refused(path, "is no path of a directory");
        }
        try (Dir above = openParent(parent)) {
            above.makeDirectory(name.toString());
        }
        return checked(Dir.open(absolute));
    }

    private static Dir openParent(Path parent) {
        try {
            // it may be searchable and not readable; links in its path are the responsibility of their creator
            return Dir.openForSearch(parent.toRealPath());
        } catch (IOException e) {
            throw new UrmaException(
                    UrmaStatus.FAIL,
                    "runtime directory",
                    "cannot be made in " + parent + ", which cannot be opened; " + mountOf(parent) + "; " + OTHER_PLACE,
                    e);
        }
    }

    /** Refuses a directory that other users can access. */
    private static Dir checked(Dir directory) {
        FileStatus status = directory.status();
        int uid = UserIds.effective();
        if (status.ownerUid() == uid && (status.permissions() & PERMISSIONS) == OWNER_ONLY) {
            return directory;
        }
        directory.close();
        if (status.ownerUid() != uid) {
            throw refused(directory.path(), "belongs to uid " + status.ownerUid() + ", must belong to uid " + uid);
        }
        throw refused(
                directory.path(),
                "has mode 0" + Integer.toOctalString(status.permissions()) + ", must have 0700: chmod 700 "
                        + directory.path());
    }

    private static UrmaException refused(Path path, String why) {
        return new UrmaException(UrmaStatus.ENOPERM, "runtime directory " + path, why + "; " + OTHER_PLACE);
    }

    /** Creating a file or socket failed: most likely the directory is full. */
    static UrmaException noRoom(Dir directory, Exception cause) {
        if (cause instanceof LibcException e && e.errno() == Errno.EROFS) {
            return new UrmaException(
                    UrmaStatus.ENOPERM,
                    "runtime directory " + directory.path(),
                    "is mounted read-only, and a context makes a file and a socket there; " + mountOf(directory.path())
                            + "; " + OTHER_PLACE,
                    cause);
        }
        if (cause instanceof LibcException e && e.errno() != Errno.ENOSPC && e.errno() != Errno.EDQUOT) {
            return Failures.of("runtime directory " + directory.path(), "a file cannot be made", e);
        }
        return new UrmaException(
                UrmaStatus.ENOMEM,
                "runtime directory " + directory.path(),
                "is full; " + mountOf(directory.path()) + "; a context needs 4 KiB, a file and a socket, "
                        + "each published name 4 KiB and a file; " + OTHER_PLACE + ": " + cause.getMessage(),
                cause);
    }

    /** The mount of a path, or of the nearest existing directory above it, and its free space: explains why it is full, or not shared. */
    static String mountOf(Path path) {
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

    /** For {@code connect} and {@code listen}. */
    Dir sockets() {
        return directory;
    }

    /** Takes a free UASID, and removes files of dead contexts. */
    ContextLock takeUasid(PeerId id, RandomGenerator random) {
        int uasid = random.nextInt(1, MAX_UASID + 1);
        for (int i = 0; i < UASID_ATTEMPTS; i++) {
            Optional<LockFile> lock = take(directory, lockName(uasid));
            if (lock.isPresent()) {
                removeSocketOfStale(lock.get());
                write(directory, lock.get(), id.toLine());
                return new ContextLock(uasid, lock.get());
            }
            uasid = uasid % MAX_UASID + 1;
        }
        throw new UrmaException(
                UrmaStatus.ENOMEM, this, "the " + UASID_ATTEMPTS + " UASIDs before " + uasid + " are taken");
    }

    private static Optional<LockFile> take(Dir directory, String name) {
        try {
            return LockFile.take(directory, name);
        } catch (LibcException e) {
            throw noRoom(directory, e);
        }
    }

    private static void write(Dir directory, LockFile file, String line) {
        try {
            file.write(line);
        } catch (IOException e) {
            throw noRoom(directory, e);
        }
    }

    /** A UASID that this process owns while it holds the lock. */
    record ContextLock(int uasid, LockFile file) {}

    private static String lockName(int uasid) {
        return String.format("%06x", uasid) + LOCK_SUFFIX;
    }

    private void removeSocketOfStale(LockFile lock) {
        try {
            removeSocketOf(lock);
        } catch (IOException e) {
            lock.release();
            throw noRoom(directory, e);
        }
    }

    private void removeSocketOf(LockFile lock) throws IOException {
        PeerId.parse(lock.read()).ifPresent(stale -> directory.unlink(stale.address()));
    }

    /**
     * Whether a context of this process has certainly ended, according to its lock. Of another process, a file that is missing
     * or names another context proves nothing.
     */
    boolean isGone(int uasid, String address) {
        String name = lockName(uasid);
        try {
            Optional<PeerId> now = PeerId.parse(LockFile.read(directory, name));
            if (now.isEmpty() || !now.get().address().equals(address)) {
                return true;
            }
            return removeIfStale(name);
        } catch (IOException e) {
            return false; // this process cannot read it, which proves nothing
        }
    }

    /**
     * Whether the lock of a UASID is that of the context.
     *
     * @throws IOException if this process cannot read it, which proves nothing
     */
    boolean names(int uasid, PeerId context) throws IOException {
        return isOf(context, LockFile.read(directory, lockName(uasid)));
    }

    private static boolean isOf(PeerId context, String line) {
        return PeerId.parse(line).filter(context::equals).isPresent();
    }

    /**
     * The lock of a context, kept open; empty if the UASID has none, or that of another context. The kernel releases the locks
     * of a process after it has freed its memory.
     *
     * @throws IOException if this process cannot open it, which proves nothing
     */
    Optional<WatchedLock> watchLock(int uasid, PeerId context) throws IOException {
        WatchedLock lock;
        try {
            lock = WatchedLock.open(directory, lockName(uasid));
        } catch (LibcException e) {
            if (e.errno() == Errno.ENOENT) {
                return Optional.empty();
            }
            throw new IOException(e.getMessage(), e);
        }
        try {
            if (isOf(context, lock.read())) {
                return Optional.of(lock);
            }
        } catch (IOException e) {
            lock.close();
            throw e;
        }
        lock.close();
        return Optional.empty();
    }

    /** A context that is alive, or has just died. */
    record Resident(int uasid, PeerId id) {}

    /** All contexts whose lock files are complete. */
    List<Resident> residents() {
        List<Resident> residents = new ArrayList<>();
        for (String name : list(directory).filter(n -> n.endsWith(LOCK_SUFFIX)).toList()) {
            OptionalInt uasid = uasid(name);
            Optional<PeerId> context = PeerId.parse(LockFile.readIfPossible(directory, name));
            if (context.isPresent() && uasid.isPresent()) {
                residents.add(new Resident(uasid.getAsInt(), context.get()));
            }
        }
        return residents;
    }

    private static OptionalInt uasid(String lockName) {
        try {
            return OptionalInt.of(
                    Integer.parseInt(lockName.substring(0, lockName.length() - LOCK_SUFFIX.length()), 16));
        } catch (NumberFormatException e) {
            return OptionalInt.empty(); // a file that is not ours
        }
    }

    /**
     * Removes locks, sockets and names of dead contexts.
     *
     * @throws IOException if a lock cannot be read; then no socket is removed, since its owner is not known
     */
    void sweep() throws IOException {
        // sockets first: a context writes the name of its socket into a lock file before it creates the socket
        List<String> sockets = list(directory).filter(PeerId::isAddress).toList();
        Set<String> known = new HashSet<>();
        for (String name : list(directory).filter(n -> n.endsWith(LOCK_SUFFIX)).toList()) {
            if (!removeIfStale(name)) {
                PeerId.parse(LockFile.read(directory, name)).ifPresent(live -> known.add(live.address()));
            }
        }
        sockets.stream().filter(socket -> !known.contains(socket)).forEach(directory::unlink);
        for (String name : list(names).toList()) {
            LockFile.takeExisting(names, name).ifPresent(LockFile::remove);
        }
    }

    private boolean removeIfStale(String name) throws IOException {
        Optional<LockFile> stale = LockFile.takeExisting(directory, name);
        if (stale.isEmpty()) {
            return false;
        }
        try {
            removeSocketOf(stale.get());
            stale.get().remove();
            return true;
        } finally {
            stale.get().release(); // also if it cannot be read
        }
    }

    /** Takes a name, or returns empty if it is taken. */
    Optional<LockFile> takeName(String name) {
        return take(names, name);
    }

    /** Takes a name for a segment; empty if it is taken. The result frees the name. */
    Optional<Runnable> publish(String name, NameRecord record) {
        return takeName(name).map(file -> {
            write(names, file, record.toLine());
            return file::remove;
        });
    }

    /** The content of a name's file; empty if there is none, or if its owner has not finished writing. */
    Optional<NameRecord> readName(String name) {
        return NameRecord.parse(LockFile.readIfPossible(names, name));
    }

    /** All names, also those of owners that have died since the last sweep. */
    List<String> names() {
        return list(names).sorted().toList();
    }

    private static Stream<String> list(Dir directory) {
        try (Stream<Path> files = Files.list(directory.procPath())) {
            List<String> found =
                    files.map(file -> String.valueOf(file.getFileName())).toList();
            return found.stream();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + directory, e);
        }
    }

    @Override
    public void close() {
        names.close();
        directory.close();
    }

    @Override
    public String toString() {
        return "runtime directory " + directory.path();
    }
}
