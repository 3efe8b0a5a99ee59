package io.urma4j.shm.memory;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.Mapping.Protection;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.MemFd.Seal;
import io.urma4j.spi.support.Fence;
import io.urma4j.spi.support.Setting;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A peer's memfd, mapped here after validation: sealed against shrinking, and large enough. Without the seal the peer could
 * remove the pages, and SIGBUS would end the JVM. Seals do not prevent the peer from punching holes. On ordinary pages a
 * hole reads as zero; on huge pages of the machine's pool it causes a SIGBUS if the pool is empty. So those are mapped only
 * for a home that the importer trusts.
 *
 * <p>Only the requested range is mapped, and at most {@link #MAX_BYTES} per process: a memfd can be larger than the address
 * space without using a page.
 *
 * <p>{@link #revoke} ends it: after that no thread of this process touches the memory. Safe for any thread.
 */
public final class ImportedMapping {
    /** Maximum that a process maps of all its peers together: a quarter of the address space of 47 bits. */
    static final long MAX_BYTES = 1L << 45;

    /** How long a revocation waits for a native call. */
    private static final long PATIENCE_NANOS = 1_000_000_000;

    /** Per process, like its address space. */
    private static final AtomicLong MAPPED_BYTES = new AtomicLong();

    private final Arena arena;
    private final MemorySegment segment;
    private final long mappedBytes;
    private final AtomicBoolean counted = new AtomicBoolean(true);

    private ImportedMapping(Arena arena, MemorySegment segment, long mappedBytes) {
        this.arena = arena;
        this.segment = segment;
        this.mappedBytes = mappedBytes;
    }

    /**
     * Maps a part of it. The caller keeps the descriptor, and may close it afterwards.
     *
     * @throws UrmaException ENOPERM if it is no sealed memfd of ordinary pages, or too small; ENOMEM if it cannot be mapped
     */
    public static ImportedMapping map(Fd fd, long offset, long lengthBytes, boolean writable) {
        return mapAt(0, fd, offset, lengthBytes, writable, false);
    }

    /** Stands for memory that its home serves, and of which nothing is mapped here. */
    public static ImportedMapping none() {
        return new ImportedMapping(Arena.ofShared(), Mapping.dead(), 0);
    }

    /**
     * The same with its first byte at a given address, which must be free.
     *
     * @param address 0 for any
     * @param trusted whether the home is allowed to end this process, by a hole in huge pages of the machine's pool
     * @throws UrmaException also EEXIST if the address is in use; EINVAL if it is not possible
     */
    public static ImportedMapping mapAt(
            long address, Fd fd, long offset, long lengthBytes, boolean writable, boolean trusted) {
        try {
            long pageBytes = checkedPages(fd, trusted);
            checkRange(fd, offset, lengthBytes);
            // whole pages, since a part of one can be neither mapped nor unmapped
            long start = offset - offset % pageBytes;
            long end = (offset + lengthBytes + pageBytes - 1) / pageBytes * pageBytes;
            return mapped(address == 0 ? 0 : checkedAddress(address) - (offset - start), fd, start, end, writable)
                    .slice(offset - start, lengthBytes);
        } catch (LibcException e) {
            throw Failures.of("import", "cannot map the peer's memory", e);
        }
    }

    /**
     * Maps all of it, which must have exactly the expected size: a ring, or a table.
     *
     * @throws UrmaException as {@link #map}; ENOPERM also if it is longer
     */
    public static ImportedMapping mapWhole(Fd fd, long lengthBytes, boolean writable) {
        ImportedMapping mapping = map(fd, 0, lengthBytes, writable);
        long sizeBytes = MemFd.sizeBytes(fd);
        if (sizeBytes != mapping.mappedBytes) {
            mapping.tryRevoke();
            throw refused(fd + " has " + sizeBytes + " bytes, it must have " + mapping.mappedBytes);
        }
        return mapping;
    }

    private static ImportedMapping mapped(long address, Fd fd, long start, long end, boolean writable) {
        Protection protection = writable ? Protection.READ_WRITE : Protection.READ;
        long bytes = end - start;
        take(bytes);
        Arena arena = Arena.ofShared();
        try {
            MemorySegment all = address == 0
                    ? Mapping.map(fd, start, bytes, protection, arena)
                    : Mapping.mapAt(address, fd, start, bytes, protection, arena);
            fd.closeHere(); // the mapping keeps the file open, so that the close waits for nothing
            return new ImportedMapping(arena, all, bytes);
        } catch (RuntimeException e) {
            MAPPED_BYTES.addAndGet(-bytes);
            arena.close();
            throw e;
        }
    }

    private static void take(long bytes) {
        if (MAPPED_BYTES.addAndGet(bytes) > MAX_BYTES) {
            long others = MAPPED_BYTES.addAndGet(-bytes);
            throw new UrmaException(
                    UrmaStatus.ENOMEM,
                    "import",
                    "length " + bytes + " + " + others + " bytes already mapped from peers is more than the limit of "
                            + MAX_BYTES);
        }
    }

    private ImportedMapping slice(long offset, long lengthBytes) {
        return new ImportedMapping(arena, segment.asSlice(offset, lengthBytes), mappedBytes);
    }

    /** The size of its pages. Only the seals are queried before it is known to be a memfd: other files may block. */
    private static long checkedPages(Fd fd, boolean trusted) {
        Set<Seal> seals = sealsOf(fd);
        if (!seals.contains(Seal.SHRINK) || !seals.contains(Seal.GROW)) {
            throw refused(fd + " has the seals " + seals + ", needs SHRINK and GROW");
        }
        long hugePageBytes = MemFd.hugePageBytes(fd);
        if (hugePageBytes > 0 && !trusted) {
            throw refused(fd + " lies on huge pages of the machine's pool, where its home can end this process;"
                    + " the setting " + Setting.SHM_HUGE_PAGES.property() + "=trusted maps it all the same");
        }
        return Math.max(hugePageBytes, Mapping.pageSizeBytes());
    }

    private static void checkRange(Fd fd, long offset, long lengthBytes) {
        long sizeBytes = MemFd.sizeBytes(fd); // for good, because of the seals
        // subtract, because offset + lengthBytes may overflow
        if (offset < 0 || lengthBytes <= 0 || offset > sizeBytes - lengthBytes) {
            throw refused("offset " + offset + " + length " + lengthBytes + " lies outside the " + sizeBytes
                    + " bytes of " + fd);
        }
    }

    private static long checkedAddress(long address) {
        if (address <= 0 || address % Mapping.pageSizeBytes() != 0) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, "import", "address 0x" + Long.toHexString(address) + " is not page-aligned");
        }
        return address;
    }

    private static Set<Seal> sealsOf(Fd fd) {
        try {
            return MemFd.seals(fd);
        } catch (LibcException e) {
            throw refused(fd + " is no memfd: " + e.getMessage());
        }
    }

    private static UrmaException refused(String why) {
        return new UrmaException(UrmaStatus.ENOPERM, "import", "the peer's memory cannot be mapped: " + why);
    }

    /** The bytes; read-only if they were mapped so, invalid after {@link #revoke}. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Revokes the mapping. While a native call holds the memory it waits, but not for ever.
     *
     * @return true if no thread can touch the memory any more
     */
    public boolean revoke() {
        return uncounted(Fence.close(arena, System.nanoTime() + PATIENCE_NANOS));
    }

    /** {@link #revoke} without waiting. */
    public boolean tryRevoke() {
        return uncounted(Fence.tryClose(arena));
    }

    private boolean uncounted(boolean ended) {
        if (ended && counted.compareAndSet(true, false)) {
            MAPPED_BYTES.addAndGet(-mappedBytes);
        }
        return ended;
    }

    public boolean isDead() {
        return !arena.scope().isAlive();
    }

    @Override
    public String toString() {
        return "mapping of " + segment.byteSize() + " bytes" + (isDead() ? ", revoked" : "");
    }
}
