package io.urma4j.shm.memory;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.Mapping.Protection;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.MemFd.Seal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * A peer's memfd, mapped here after it was found fit: sealed against shrinking, and large enough. Without the seal the
 * peer could take the pages away from under us, and SIGBUS ends a JVM.
 *
 * <p>It dies by {@link #revoke}: after that no thread of this process touches the memory. Safe for any thread.
 */
public final class ImportedMapping {
    private final Arena arena;
    private final MemorySegment segment;

    private ImportedMapping(Arena arena, MemorySegment segment) {
        this.arena = arena;
        this.segment = segment;
    }

    /**
     * Maps a part of it. The descriptor stays the caller's, and may be closed afterwards.
     *
     * @throws UrmaException ENOPERM when it is no sealed memfd or too small; ENOMEM when it cannot be mapped
     */
    public static ImportedMapping map(Fd fd, long offset, long lengthBytes, boolean writable) {
        return mapAt(0, fd, offset, lengthBytes, writable);
    }

    /**
     * The same with its first byte at a place in the address space, where nothing else may be.
     *
     * @param address 0 for where there is room
     * @throws UrmaException also EEXIST when something is there; EINVAL when nothing can be
     */
    public static ImportedMapping mapAt(long address, Fd fd, long offset, long lengthBytes, boolean writable) {
        try {
            long sizeBytes = checkedSize(fd, offset, lengthBytes);
            Arena arena = Arena.ofShared();
            try {
                Protection protection = writable ? Protection.READ_WRITE : Protection.READ;
                // all of it, since a part of a huge page can be neither mapped nor unmapped
                MemorySegment whole = address == 0
                        ? Mapping.map(fd, 0, sizeBytes, protection, arena)
                        : Mapping.mapAt(checkedAddress(address - offset), fd, 0, sizeBytes, protection, arena);
                return new ImportedMapping(arena, whole.asSlice(offset, lengthBytes));
            } catch (RuntimeException e) {
                arena.close();
                throw e;
            }
        } catch (LibcException e) {
            throw Failures.of("import", "cannot map what the peer sent", e);
        }
    }

    private static long checkedSize(Fd fd, long offset, long lengthBytes) {
        Set<Seal> seals = sealsOf(fd);
        if (!seals.contains(Seal.SHRINK) || !seals.contains(Seal.GROW)) {
            throw refused(fd + " has the seals " + seals + ", needs SHRINK and GROW");
        }
        long sizeBytes = MemFd.sizeBytes(fd); // for good, because of the seals
        // subtract, because offset + lengthBytes may overflow
        if (offset < 0 || lengthBytes <= 0 || offset > sizeBytes - lengthBytes) {
            throw refused("offset " + offset + " + length " + lengthBytes + " lies outside the " + sizeBytes
                    + " bytes of " + fd);
        }
        return sizeBytes;
    }

    private static long checkedAddress(long address) {
        if (address <= 0 || address % Mapping.pageSizeBytes() != 0) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, "import", "address 0x" + Long.toHexString(address) + " is no start of a page");
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
        return new UrmaException(UrmaStatus.ENOPERM, "import", "what the peer sent cannot be mapped: " + why);
    }

    /** The bytes; read-only when they were mapped so, dead after {@link #revoke}. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Ends it. While a native call holds the memory it waits, for at most until the deadline.
     *
     * @return true when no thread can touch the memory any more
     */
    public boolean revoke(long deadlineNanos) {
        return Fence.close(arena, deadlineNanos);
    }

    /** {@link #revoke} without waiting. */
    public boolean tryRevoke() {
        return Fence.tryClose(arena);
    }

    public boolean isDead() {
        return !arena.scope().isAlive();
    }

    @Override
    public String toString() {
        return "mapping of " + segment.byteSize() + " bytes" + (isDead() ? ", revoked" : "");
    }
}
