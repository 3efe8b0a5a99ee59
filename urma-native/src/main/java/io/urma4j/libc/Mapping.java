package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory mappings whose life is an {@link Arena}: when it closes they are unmapped, and no thread can touch them any
 * more. An arena that never closes keeps its mappings for the life of the process.
 */
public final class Mapping {
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_FIXED_NOREPLACE = 0x100000;
    private static final int SC_PAGESIZE = 30;
    private static final int NO_FD = -1;

    private static final MemorySegment DEAD = makeDead();

    private static final MethodHandle MMAP = Linkage.bind(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP =
            Linkage.bind("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MADVISE =
            Linkage.bind("madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MLOCK =
            Linkage.bind("mlock", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle SYSCONF = Linkage.bind("sysconf", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));

    private Mapping() {}

    /** What may be done through a mapping. */
    public enum Protection {
        READ(PROT_READ),
        READ_WRITE(PROT_READ | PROT_WRITE);

        private final int bits;

        Protection(int bits) {
            this.bits = bits;
        }
    }

    /** Advice to the kernel about a range: {@code madvise(2)}. */
    public enum Advice {
        /** Give the pages back; the next touch finds zeros, or the file's content. */
        DONT_NEED(4),
        /** A child process does not get the mapping. */
        DONT_FORK(10),
        /** Use transparent huge pages. */
        HUGE_PAGE(14),
        NO_HUGE_PAGE(15),
        /** Leave the range out of core dumps. */
        DONT_DUMP(16),
        /** Make every page present for reading now; EINVAL before Linux 5.14. */
        POPULATE_READ(22),
        /** Make every page present for writing now; EINVAL before Linux 5.14. */
        POPULATE_WRITE(23);

        private final int number;

        Advice(int number) {
            this.number = number;
        }
    }

    /**
     * Maps a part of a file, shared with all other mappings of it.
     *
     * <p>A touch beyond the end of the file kills the JVM by SIGBUS: make sure beforehand, by seals, that it cannot
     * shrink.
     *
     * @param offset a multiple of the page size
     * @param arena that unmaps it; must be open
     * @return a segment of exactly that length, read-only when {@code protection} is READ
     */
    public static MemorySegment map(Fd fd, long offset, long lengthBytes, Protection protection, Arena arena) {
        return mapShared(0, fd, offset, lengthBytes, protection, arena);
    }

    /**
     * The same at a place in the address space; EEXIST when anything is mapped there.
     *
     * @param address a multiple of the page size, not 0
     */
    public static MemorySegment mapAt(
            long address, Fd fd, long offset, long lengthBytes, Protection protection, Arena arena) {
        return mapShared(address, fd, offset, lengthBytes, protection, arena);
    }

    /** Memory that was taken away, as long as any: every access fails with {@code IllegalStateException}. */
    public static MemorySegment dead() {
        return DEAD;
    }

    @SuppressWarnings("restricted") // no thread can touch it
    private static MemorySegment makeDead() {
        Arena arena = Arena.ofShared();
        MemorySegment all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE, arena, null);
        arena.close();
        return all;
    }

    /** Private memory of zeros, page-aligned. */
    public static MemorySegment anonymous(long lengthBytes, Arena arena) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS;
        long result = mmap(0, lengthBytes, PROT_READ | PROT_WRITE, flags, NO_FD, 0);
        if (result < 0) {
            throw new LibcException("mmap", "lengthBytes=" + lengthBytes + ", ANONYMOUS", (int) -result);
        }
        return bind(result, lengthBytes, arena);
    }

    /**
     * Advises about a mapped range that starts at a page.
     *
     * <p>To populate takes as long as the kernel needs for the pages, and the thread is in native code for that time.
     */
    public static void advise(MemorySegment range, Advice advice) {
        int result = madvise(range, advice.number);
        if (result < 0) {
            throw new LibcException("madvise", describe(range) + ", " + advice, -result);
        }
    }

    /** Keeps a mapped range in memory; ENOMEM when the limit {@link ResourceLimit#MEMLOCK} is too low. */
    public static void lock(MemorySegment range) {
        int result = mlock(range);
        if (result < 0) {
            throw new LibcException("mlock", describe(range), -result);
        }
    }

    public static long pageSizeBytes() {
        CallFrame frame = CallFrame.claim();
        try {
            return (long) SYSCONF.invokeExact(frame.state(), SC_PAGESIZE);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private static MemorySegment mapShared(
            long address, Fd fd, long offset, long lengthBytes, Protection protection, Arena arena) {
        int flags = MAP_SHARED | (address == 0 ? 0 : MAP_FIXED_NOREPLACE);
        int number = fd.acquire();
        long result;
        try {
            result = mmap(address, lengthBytes, protection.bits, flags, number, offset);
        } finally {
            fd.release();
        }
        if (address != 0 && result > 0 && result != address) {
            unmap(result, lengthBytes); // a kernel before 4.17 takes the address for a hint
            result = -Errno.EEXIST;
        }
        if (result < 0) {
            String where = address == 0 ? "" : "address=0x" + Long.toHexString(address) + ", ";
            throw new LibcException(
                    "mmap",
                    where + fd + ", offset=" + offset + ", lengthBytes=" + lengthBytes + ", protection=" + protection,
                    (int) -result);
        }
        MemorySegment segment = bind(result, lengthBytes, arena);
        return protection == Protection.READ ? segment.asReadOnly() : segment;
    }

    /** The same bytes, which can be accessed until the arena is closed; that unmaps nothing. */
    @SuppressWarnings("restricted") // the bytes are those of a segment, which outlives the arena
    public static MemorySegment scoped(MemorySegment mapped, Arena arena) {
        return mapped.reinterpret(arena, null);
    }

    @SuppressWarnings("restricted") // the one place that makes memory of an address
    private static MemorySegment bind(long address, long lengthBytes, Arena arena) {
        try {
            return MemorySegment.ofAddress(address)
                    .reinterpret(lengthBytes, arena, mapping -> unmap(mapping.address(), lengthBytes));
        } catch (RuntimeException e) {
            unmap(address, lengthBytes); // the arena is closed, or of another thread
            throw e;
        }
    }

    private static void unmap(long address, long lengthBytes) {
        int result = munmap(address, lengthBytes);
        if (result < 0) {
            throw new LibcException(
                    "munmap", "address=0x" + Long.toHexString(address) + ", lengthBytes=" + lengthBytes, -result);
        }
    }

    private static String describe(MemorySegment range) {
        return "address=0x" + Long.toHexString(range.address()) + ", lengthBytes=" + range.byteSize();
    }

    private static long mmap(long address, long lengthBytes, int protection, int flags, int fd, long offset) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result(
                    (long) MMAP.invokeExact(frame.state(), address, lengthBytes, protection, flags, fd, offset));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private static int munmap(long address, long lengthBytes) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) MUNMAP.invokeExact(frame.state(), address, lengthBytes));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private static int madvise(MemorySegment range, int advice) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) MADVISE.invokeExact(frame.state(), range, range.byteSize(), advice));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private static int mlock(MemorySegment range) {
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) MLOCK.invokeExact(frame.state(), range, range.byteSize()));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
