package io.urma4j.npu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a device in a file that has no name, so that it ends with the last process that has it mapped. Other processes of the
 * user open it as {@code /proc/PID/fd/N}, which a {@link NpuHandle} tells them. Native byte order.
 *
 * <pre>
 *      0  magic   u64
 *      8  nonce   u64 × 2   a number of this store alone
 *     24  page    u64       bytes of a page
 *     32  count   u64       of pages
 *   4096  owners  16 bytes × count; of the allocation that a page belongs to
 *           0  buffer id  u64  0 for none
 *           8  number     u64  of the page in the allocation
 *   then  pages, at a multiple of 2 MiB
 * </pre>
 *
 * <p>The owner of the device alone writes the owners. Guarded by the device.
 */
final class NpuStore {
    private static final long MAGIC = 0x5550_4E41_4D52_5531L;
    private static final int HEADER_BYTES = 40;
    private static final long FIRST_OWNER = 4096;
    private static final long OWNER_BYTES = 16;
    private static final long NONCE = 8;
    private static final long PAGE = 24;
    private static final long COUNT = 32;
    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");

    private final Arena arena;
    private final MemorySegment all;
    private final long pageBytes;
    private final long count;
    private final long first; // byte of the first page

    private NpuStore(Arena arena, MemorySegment all, long pageBytes, long count) {
        this.arena = arena;
        this.all = all;
        this.pageBytes = pageBytes;
        this.count = count;
        this.first = firstPage(count);
    }

    /** The memory of a device of this process, and the descriptor of its file. */
    record Own(NpuStore store, FileChannel channel, int descriptor) {
        void close() {
            store.close();
            closeQuietly(channel);
        }
    }

    private static long firstPage(long count) {
        return (FIRST_OWNER + count * OWNER_BYTES + NpuDevice.GRANULE_BYTES - 1) & -NpuDevice.GRANULE_BYTES;
    }

    private static long sizeBytes(long pageBytes, long count) {
        return firstPage(count) + pageBytes * count;
    }

    /** Creates the store of a device. */
    static Own create(long pageBytes, long count) {
        Arena arena = Arena.ofShared();
        @Nullable FileChannel channel = null;
        try {
            Path file = Files.createTempFile("urma-npu-", ".memory");
            int descriptor;
            try {
                channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                descriptor = descriptorOf(file);
            } finally {
                Files.delete(file);
            }
            MemorySegment all = channel.map(FileChannel.MapMode.READ_WRITE, 0, sizeBytes(pageBytes, count), arena);
            ThreadLocalRandom random = ThreadLocalRandom.current();
            all.set(JAVA_LONG, 0, MAGIC);
            all.set(JAVA_LONG, NONCE, random.nextLong());
            all.set(JAVA_LONG, NONCE + Long.BYTES, random.nextLong());
            all.set(JAVA_LONG, PAGE, pageBytes);
            all.set(JAVA_LONG, COUNT, count);
            return new Own(new NpuStore(arena, all, pageBytes, count), channel, descriptor);
        } catch (IOException e) {
            arena.close();
            closeQuietly(channel);
            throw new UrmaException(
                    UrmaStatus.ENOMEM, "simulated NPU", "has no file for memory that is shared: " + e, e);
        }
    }

    /** Java does not tell the number of a descriptor. */
    private static int descriptorOf(Path file) throws IOException {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OWN_DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                if (isLinkTo(descriptor, file)) {
                    return Integer.parseInt(descriptor.getFileName().toString());
                }
            }
        }
        throw new IOException("no descriptor of " + file + " in " + OWN_DESCRIPTORS);
    }

    private static boolean isLinkTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    /**
     * Maps the store of a handle, which may be that of any file.
     *
     * @param pageBytes of the devices here
     */
    static NpuStore open(NpuHandle handle, long pageBytes) {
        Path file = Path.of("/proc", Long.toString(handle.pid()), "fd", Integer.toString(handle.descriptor()));
        if (!Files.isRegularFile(file)) { // another file might block
            throw refused(handle, "its process does not have it, or has ended");
        }
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.nativeOrder());
            channel.read(header, 0);
            if (header.hasRemaining()
                    || header.getLong(0) != MAGIC
                    || header.getLong((int) NONCE) != handle.nonceHigh()
                    || header.getLong((int) NONCE + Long.BYTES) != handle.nonceLow()) {
                throw refused(handle, "it is not the memory of that device");
            }
            long count = header.getLong((int) COUNT);
            if (header.getLong((int) PAGE) != pageBytes) {
                throw refused(
                        handle, "its pages have " + header.getLong((int) PAGE) + " bytes, those here " + pageBytes);
            }
            if (count < 1 || count > Integer.MAX_VALUE || channel.size() < sizeBytes(pageBytes, count)) {
                throw refused(handle, "it has fewer bytes than it claims");
            }
            MemorySegment all = channel.map(FileChannel.MapMode.READ_WRITE, 0, sizeBytes(pageBytes, count), arena);
            return new NpuStore(arena, all, pageBytes, count);
        } catch (IOException e) {
            arena.close();
            throw refused(handle, e.toString());
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    static UrmaException refused(NpuHandle handle, String why) {
        return new UrmaException(UrmaStatus.EINVAL, "simulated NPU", handle + " cannot be opened: " + why);
    }

    long nonceHigh() {
        return all.get(JAVA_LONG, NONCE);
    }

    long nonceLow() {
        return all.get(JAVA_LONG, NONCE + Long.BYTES);
    }

    /** The bytes of a page. */
    MemorySegment page(long number) {
        return all.asSlice(first + number * pageBytes, pageBytes);
    }

    /** A page belongs to an allocation from now on. */
    void own(long number, long bufferId, long inAllocation) {
        all.set(JAVA_LONG, FIRST_OWNER + number * OWNER_BYTES + Long.BYTES, inAllocation);
        all.set(JAVA_LONG, FIRST_OWNER + number * OWNER_BYTES, bufferId);
    }

    void disown(long number) {
        all.set(JAVA_LONG, FIRST_OWNER + number * OWNER_BYTES, 0);
    }

    /** The pages of an allocation, in order; EINVAL if it does not have exactly {@code pages} of them. */
    MemorySegment[] pagesOf(NpuHandle handle, int pages) {
        MemorySegment[] found = new MemorySegment[pages];
        int missing = pages;
        for (long number = 0; number < count; number++) {
            if (all.get(JAVA_LONG, FIRST_OWNER + number * OWNER_BYTES) == handle.bufferId()) {
                long place = all.get(JAVA_LONG, FIRST_OWNER + number * OWNER_BYTES + Long.BYTES);
                if (place < 0 || place >= pages || found[(int) place] != null) {
                    throw refused(handle, "it has other pages than its handle");
                }
                found[(int) place] = page(number);
                missing--;
            }
        }
        if (missing > 0) {
            throw refused(handle, "it was freed");
        }
        return found;
    }

    /** Idempotent. */
    void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot close the memory of a simulated NPU", e);
        }
    }
}
