package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.urma4j.libc.Layouts.Statx;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What the kernel knows about a file.
 *
 * @param mode type and permissions, as in {@code st_mode}
 * @param ownerUid the owner's user id
 * @param sizeBytes the length of a regular file or memfd
 * @param links how many names it has; 0 once the last was removed
 * @param inode its number within the device
 * @param device an opaque number of the file system
 */
public record FileStatus(int mode, int ownerUid, long sizeBytes, int links, long inode, long device) {
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS = 0x7ff;

    private static final int TYPE_MASK = 0xf000;
    private static final int DIRECTORY = 0x4000;
    private static final int REGULAR = 0x8000;
    private static final int SYMBOLIC_LINK = 0xa000;
    private static final int SOCKET = 0xc000;
    private static final int PERMISSIONS_MASK = 0xfff;

    private static final MethodHandle STATX =
            Linkage.bind("statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));

    /** Of an open file. */
    public static FileStatus of(Fd fd) {
        return statx(fd, "", AT_EMPTY_PATH);
    }

    /** Of a name in a directory; a symbolic link is not followed. */
    static FileStatus of(Fd directory, String name) {
        return statx(directory, name, AT_SYMLINK_NOFOLLOW);
    }

    public boolean isDirectory() {
        return (mode & TYPE_MASK) == DIRECTORY;
    }

    public boolean isRegularFile() {
        return (mode & TYPE_MASK) == REGULAR;
    }

    public boolean isSymbolicLink() {
        return (mode & TYPE_MASK) == SYMBOLIC_LINK;
    }

    public boolean isSocket() {
        return (mode & TYPE_MASK) == SOCKET;
    }

    /** The twelve permission bits, such as 0700. */
    public int permissions() {
        return mode & PERMISSIONS_MASK;
    }

    /** Whether both are the same file, whatever changed in between. */
    public boolean isSameFile(FileStatus other) {
        return inode == other.inode && device == other.device;
    }

    private static FileStatus statx(Fd fd, String name, int flags) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statx = arena.allocate(Statx.BYTES, Long.BYTES);
            int result = frame.result((int) STATX.invokeExact(
                    frame.state(), number, arena.allocateFrom(name), flags, STATX_BASIC_STATS, statx));
            if (result < 0) {
                throw new LibcException("statx", "fd=" + number + ", name='" + name + "'", -result);
            }
            return Statx.read(statx);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
