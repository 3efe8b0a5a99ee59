package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * An open directory. Names are looked up in it, not on the way to it, and no symbolic link is followed in its last
 * step: a process that exchanges a directory of the path cannot lead us elsewhere. To list it, use {@link #procPath}.
 */
public final class Dir implements AutoCloseable {
    private static final int AT_FDCWD = -100;
    private static final int AT_REMOVEDIR = 0x200;
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_NONBLOCK = 0x800; // a lease of another process must not make the caller wait
    private static final int O_EXCL = 0x80;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_PATH = 0x200000;
    private static final int OWNER_ONLY_FILE = 0600;
    private static final int OWNER_ONLY_DIRECTORY = 0700;

    // The two architectures exchange these among each other and with O_DIRECT and O_LARGEFILE.
    private static final boolean ARM = Platform.isCurrent(Platform.LINUX_AARCH64);
    private static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
    private static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;

    private static final MethodHandle OPENAT = Linkage.bind(
            "openat",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
            Linker.Option.firstVariadicArg(3));
    private static final MethodHandle MKDIRAT =
            Linkage.bind("mkdirat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle UNLINKAT =
            Linkage.bind("unlinkat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

    private final Fd fd;
    private final Path path;

    private Dir(Fd fd, Path path) {
        this.fd = fd;
        this.path = path;
    }

    /** Opens a directory that exists; ELOOP or ENOTDIR when the last step is a symbolic link or something else. */
    public static Dir open(Path path) {
        int number = openPath(path.toString(), O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (number < 0) {
            throw new LibcException("open", "'" + path + "', DIRECTORY|NOFOLLOW", -number);
        }
        return new Dir(Fd.own(number, "directory " + path), path);
    }

    /**
     * As {@link #open}, but only to look names up and to make them in it, which needs the permission to search it and
     * none to read it.
     */
    public static Dir openForSearch(Path path) {
        int number = openPath(path.toString(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (number < 0) {
            throw new LibcException("open", "'" + path + "', PATH|DIRECTORY|NOFOLLOW", -number);
        }
        return new Dir(Fd.own(number, "directory " + path), path);
    }

    /** Opens a directory in this one, as {@link #open}. */
    public Dir openDirectory(String name) {
        int number = openat(checked(name), O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (number < 0) {
            throw new LibcException("openat", fd + ", '" + name + "', DIRECTORY|NOFOLLOW", -number);
        }
        Path child = path.resolve(name);
        return new Dir(Fd.own(number, "directory " + child), child);
    }

    /** Makes a directory for its owner alone (0700); false when the name exists already, whatever it is. */
    public boolean makeDirectory(String name) {
        int result = mkdirat(checked(name));
        if (result == -Errno.EEXIST) {
            return false;
        }
        if (result < 0) {
            throw new LibcException("mkdirat", fd + ", '" + name + "', 0700", -result);
        }
        return true;
    }

    /** Opens a file to read and write it, or makes it empty for its owner alone (0600). */
    public Fd openOrCreateFile(String name) {
        return openFile(name, O_CREAT);
    }

    /** Makes a file that must not exist yet: EEXIST. */
    public Fd createFile(String name) {
        return openFile(name, O_CREAT | O_EXCL);
    }

    /** Opens a file that must exist: ENOENT. */
    public Fd openFile(String name) {
        return openFile(name, 0);
    }

    /** Removes a name that is no directory; false when it was not there. */
    public boolean unlink(String name) {
        return remove(name, 0);
    }

    /** Removes an empty directory; false when it was not there. */
    public boolean removeDirectory(String name) {
        return remove(name, AT_REMOVEDIR);
    }

    /** Of the directory itself. */
    public FileStatus status() {
        return FileStatus.of(fd);
    }

    /** Of a name in it, a symbolic link for itself; ENOENT when it is not there. */
    public FileStatus status(String name) {
        return FileStatus.of(fd, checked(name));
    }

    /** The path it was opened by. */
    public Path path() {
        return path;
    }

    /** A short path to this very directory for {@code java.nio}, good for as long as this is open. */
    public Path procPath() {
        return Path.of("/proc/self/fd", Integer.toString(fd.number()));
    }

    public Fd fd() {
        return fd;
    }

    @Override
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return fd.toString();
    }

    /** A name that stays in the directory. */
    static String checked(String name) {
        boolean leaves = name.indexOf('/') >= 0 || name.equals(".") || name.equals("..");
        if (name.isEmpty() || leaves || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a file in a directory");
        }
        return name;
    }

    private Fd openFile(String name, int flags) {
        int number = openat(checked(name), flags | O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
        if (number < 0) {
            throw new LibcException("openat", fd + ", '" + name + "', flags=0x" + Integer.toHexString(flags), -number);
        }
        return Fd.own(number, "file " + path.resolve(name));
    }

    private boolean remove(String name, int flags) {
        int result = unlinkat(checked(name), flags);
        if (result == -Errno.ENOENT) {
            return false;
        }
        if (result < 0) {
            String kind = flags == AT_REMOVEDIR ? ", REMOVEDIR" : "";
            throw new LibcException("unlinkat", fd + ", '" + name + "'" + kind, -result);
        }
        return true;
    }

    /** Opens a path as it stands. */
    static int openPath(String path, int flags) {
        return openat(AT_FDCWD, path, flags);
    }

    private int openat(String name, int flags) {
        int directory = fd.acquire();
        try {
            return openat(directory, name, flags);
        } finally {
            fd.release();
        }
    }

    private static int openat(int directory, String name, int flags) {
        CallFrame frame = CallFrame.claim();
        try (Arena arena = Arena.ofConfined()) {
            return frame.result((int)
                    OPENAT.invokeExact(frame.state(), directory, arena.allocateFrom(name), flags, OWNER_ONLY_FILE));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private int mkdirat(String name) {
        int directory = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try (Arena arena = Arena.ofConfined()) {
            return frame.result((int)
                    MKDIRAT.invokeExact(frame.state(), directory, arena.allocateFrom(name), OWNER_ONLY_DIRECTORY));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    private int unlinkat(String name, int flags) {
        int directory = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try (Arena arena = Arena.ofConfined()) {
            return frame.result((int) UNLINKAT.invokeExact(frame.state(), directory, arena.allocateFrom(name), flags));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
