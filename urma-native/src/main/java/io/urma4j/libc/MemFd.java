package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Memory without a name in any file system, which vanishes with its last user: {@code memfd_create(2)}. All calls take
 * a plain {@link Fd}, since one that came from another process is asked the same questions.
 */
public final class MemFd {
    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int MFD_HUGETLB = 4;
    private static final int MFD_NOEXEC_SEAL = 8; // since Linux 6.3; silences a warning of the kernel
    private static final int MFD_HUGE_SHIFT = 26;
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;

    private static final MethodHandle MEMFD_CREATE =
            Linkage.bind("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle FTRUNCATE =
            Linkage.bind("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle FALLOCATE =
            Linkage.bind("fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));

    // struct statfs of 64-bit Linux: f_type and f_bsize, 8 bytes each, and 104 more
    private static final long STATFS_BYTES = 120;
    private static final long TMPFS = 0x0102_1994;
    private static final long HUGETLBFS = 0x9584_58f6L;
    private static final MethodHandle FSTATFS =
            Linkage.bind("fstatfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));

    private MemFd() {}

    /** What a sealed memfd will never allow again, to any holder of its descriptor. */
    public enum Seal {
        /** To add seals. */
        SEAL(1),
        SHRINK(2),
        GROW(4),
        /** Any writing; refused with EBUSY while a writable mapping exists. */
        WRITE(8),
        /** New ways to write; mappings that exist go on. */
        FUTURE_WRITE(16),
        /** To become executable; set at birth where the kernel knows it. */
        EXEC(32);

        private final int bit;

        Seal(int bit) {
            this.bit = bit;
        }
    }

    /**
     * A new memfd of zeros, closed on exec, ready for seals. Its pages come with their first use: see
     * {@link #reserve}.
     *
     * @param name at most 249 bytes, seen in {@code /proc} by people who debug; need not be unique
     */
    public static Fd create(String name, long sizeBytes) {
        return create(name, sizeBytes, 0);
    }

    /**
     * The same on huge pages of the machine's pool.
     *
     * @param sizeBytes a multiple of the page size
     * @param pageSizeBytes a power of two that the CPU has, such as 2 MiB
     */
    public static Fd createHuge(String name, long sizeBytes, long pageSizeBytes) {
        if (Long.bitCount(pageSizeBytes) != 1) {
            throw new IllegalArgumentException("page size " + pageSizeBytes + " is not a power of two");
        }
        return create(name, sizeBytes, MFD_HUGETLB | Long.numberOfTrailingZeros(pageSizeBytes) << MFD_HUGE_SHIFT);
    }

    /** Adds seals for ever. EPERM when SEAL is among the old ones, EBUSY as told at {@link Seal#WRITE}. */
    public static void addSeals(Fd memFd, Seal... seals) {
        int bits = 0;
        for (Seal seal : seals) {
            bits |= seal.bit;
        }
        int result = Fd.fcntl(memFd, F_ADD_SEALS, bits);
        if (result < 0) {
            throw new LibcException("fcntl", memFd + ", F_ADD_SEALS, " + Arrays.toString(seals), -result);
        }
    }

    /**
     * The seals it has now. EINVAL for a descriptor that cannot have seals at all, as one from a hostile peer may.
     */
    public static Set<Seal> seals(Fd memFd) {
        int bits = Fd.fcntl(memFd, F_GET_SEALS, 0);
        if (bits < 0) {
            throw new LibcException("fcntl", memFd + ", F_GET_SEALS", -bits);
        }
        Set<Seal> seals = EnumSet.noneOf(Seal.class);
        for (Seal seal : Seal.values()) {
            if ((bits & seal.bit) != 0) {
                seals.add(seal);
            }
        }
        return Collections.unmodifiableSet(seals);
    }

    /** The same memory by a descriptor that cannot be written through, mapped writable, or given seals. */
    public static Fd openReadOnly(Fd memFd) {
        int number = memFd.acquire();
        int result;
        try {
            result = Dir.openPath("/proc/self/fd/" + number, O_RDONLY | O_CLOEXEC);
        } finally {
            memFd.release();
        }
        if (result < 0) {
            throw new LibcException("open", memFd + ", RDONLY", -result);
        }
        return Fd.own(result, memFd.what());
    }

    public static long sizeBytes(Fd memFd) {
        return FileStatus.of(memFd).sizeBytes();
    }

    /**
     * The size of its pages when they are of the machine's pool of huge pages, 0 when it lies on pages of the usual kind,
     * which also may become huge.
     *
     * @throws LibcException EINVAL when it lies on another file system than a memfd can
     */
    public static long hugePageBytes(Fd memFd) {
        int number = memFd.acquire();
        CallFrame frame = CallFrame.claim();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(STATFS_BYTES, Long.BYTES);
            int result = frame.result((int) FSTATFS.invokeExact(frame.state(), number, status));
            if (result < 0) {
                throw new LibcException("fstatfs", memFd.toString(), -result);
            }
            long kind = status.get(JAVA_LONG, 0);
            if (kind == TMPFS) {
                return 0;
            }
            if (kind == HUGETLBFS) {
                return status.get(JAVA_LONG, Long.BYTES);
            }
            throw new LibcException("fstatfs", memFd + " is of file system 0x" + Long.toHexString(kind), Errno.EINVAL);
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            memFd.release();
        }
    }

    /** Changes the size; EPERM when a seal forbids it. */
    public static void resize(Fd memFd, long sizeBytes) {
        int result = ftruncate(memFd, sizeBytes);
        if (result < 0) {
            throw new LibcException("ftruncate", memFd + ", sizeBytes=" + sizeBytes, -result);
        }
    }

    /**
     * Gets the pages of a range now, so that a later touch cannot fail, which would kill the JVM by SIGBUS. ENOSPC or
     * ENOMEM when the machine has too few; EINTR is repeated.
     */
    public static void reserve(Fd memFd, long offset, long lengthBytes) {
        int result;
        do {
            result = fallocate(memFd, offset, lengthBytes);
        } while (result == -Errno.EINTR);
        if (result < 0) {
            throw new LibcException(
                    "fallocate", memFd + ", offset=" + offset + ", lengthBytes=" + lengthBytes, -result);
        }
    }

    private static Fd create(String name, long sizeBytes, int pageFlags) {
        int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING | pageFlags;
        int number = memfdCreate(name, flags | MFD_NOEXEC_SEAL);
        if (number == -Errno.EINVAL) {
            number = memfdCreate(name, flags); // a kernel before 6.3
        }
        if (number < 0) {
            throw new LibcException("memfd_create", "name='" + name + "', flags=" + flags, -number);
        }
        Fd memFd = Fd.own(number, "memfd " + name);
        try {
            resize(memFd, sizeBytes);
            return memFd;
        } catch (LibcException e) {
            memFd.close();
            throw e;
        }
    }

    private static int memfdCreate(String name, int flags) {
        CallFrame frame = CallFrame.claim();
        try (Arena arena = Arena.ofConfined()) {
            return frame.result((int) MEMFD_CREATE.invokeExact(frame.state(), arena.allocateFrom(name), flags));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    private static int ftruncate(Fd fd, long sizeBytes) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) FTRUNCATE.invokeExact(frame.state(), number, sizeBytes));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }

    private static int fallocate(Fd fd, long offset, long lengthBytes) {
        int number = fd.acquire();
        CallFrame frame = CallFrame.claim();
        try {
            return frame.result((int) FALLOCATE.invokeExact(frame.state(), number, 0, offset, lengthBytes));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
            fd.release();
        }
    }
}
