package io.urma4j.shm.memory;

import io.urma4j.AllocOptions;
import io.urma4j.AllocReport;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.Mapping.Protection;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.MemFd.Seal;
import io.urma4j.libc.PageWishes;
import io.urma4j.spi.support.Fence;
import io.urma4j.spi.support.HostMemory;
import io.urma4j.spi.support.HostPinning;
import io.urma4j.spi.support.MemoryBudget;
import io.urma4j.spi.support.MemoryLimits;
import io.urma4j.spi.support.Quarantine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory in a memfd that can neither shrink nor grow, mapped here for reading and writing. Safe for any thread.
 *
 * <p>The file has no name, and lives until its last user has released it. So memory that an importer still holds is never
 * reused, even after this object has been closed.
 */
public final class ShmMemory implements HostMemory {
    /** Maximum bytes of one system call, so that signals do not restart it forever. */
    private static final long RESERVE_STEP_BYTES = 64L << 20;

    private static final MemoryBudget BUDGET = new MemoryBudget();

    private final String label;
    private final Fd fd;
    private final Arena arena;
    private final MemorySegment segment;
    private final AllocReport report;
    private final Quarantine quarantine = new Quarantine();
    private final HostPinning pinning;

    private final Set<Object> users = new LinkedHashSet<>(); // these five: guarded by this
    private final Set<Object> writableUsers = new LinkedHashSet<>();
    private @Nullable Object alone; // the isolated user
    private @Nullable Fd readOnly;
    private boolean sealedAgainstWriting;

    private ShmMemory(String label, Fd fd, Arena arena, MemorySegment segment, AllocReport report) {
        this.label = label;
        this.fd = fd;
        this.arena = arena;
        this.segment = segment;
        this.pinning = new HostPinning(segment);
        this.report = report;
    }

    /**
     * Allocates zeroed memory.
     *
     * @param label at most 200 bytes, visible in {@code /proc} for debugging
     * @throws UrmaException ENOMEM if the machine or a control group lacks memory
     */
    public static ShmMemory allocate(long lengthBytes, AllocOptions options, String label) {
        if (lengthBytes <= 0 || lengthBytes > Long.MAX_VALUE / 2) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, label, "length " + lengthBytes + " must lie in 1…" + Long.MAX_VALUE / 2);
        }
        MemoryLimits limits = MemoryLimits.ofThisProcess();
        List<String> steps = new ArrayList<>();
        try {
            if (options.hugePages()) {
                Optional<ShmMemory> huge = onPool(lengthBytes, options, label, limits, steps);
                if (huge.isPresent()) {
                    return huge.get();
                }
            }
            return onPages(lengthBytes, options, label, limits, steps);
        } catch (LibcException e) {
            throw Failures.of(label, "cannot allocate " + lengthBytes + " bytes", e);
        }
    }

    /**
     * Pages of the pool are counted separately: they are not part of the machine's free memory, which does not limit them.
     */
    private static Optional<ShmMemory> onPool(
            long lengthBytes, AllocOptions options, String label, MemoryLimits limits, List<String> steps) {
        Optional<Fd> fd = HugePages.create(label, lengthBytes, limits, steps);
        if (fd.isEmpty()) {
            return Optional.empty();
        }
        long sizeBytes = MemFd.sizeBytes(fd.get());
        try {
            ShmMemory memory = map(label, fd.get(), lengthBytes, limits.kib("Hugepagesize"), options, steps);
            return Optional.of(memory);
        } catch (LibcException e) {
            fd.get().close();
            steps.add(HugePages.tooFew(sizeBytes, e));
            return Optional.empty();
        }
    }

    private static ShmMemory onPages(
            long lengthBytes, AllocOptions options, String label, MemoryLimits limits, List<String> steps) {
        long pageBytes = Mapping.pageSizeBytes();
        long sizeBytes = (lengthBytes + pageBytes - 1) / pageBytes * pageBytes;
        BUDGET.take(label, sizeBytes, limits);
        Fd fd = MemFd.create(label, sizeBytes);
        try {
            return map(label, fd, lengthBytes, pageBytes, options, steps);
        } catch (RuntimeException e) {
            fd.close();
            throw e;
        }
    }

    private static ShmMemory map(
            String label, Fd fd, long lengthBytes, long pageBytes, AllocOptions options, List<String> steps) {
        long sizeBytes = MemFd.sizeBytes(fd);
        MemFd.addSeals(fd, Seal.SHRINK, Seal.GROW);
        Arena arena = Arena.ofShared();
        try {
            MemorySegment mapping = Mapping.map(fd, 0, sizeBytes, Protection.READ_WRITE, arena);
            if (options.hugePages() && pageBytes == Mapping.pageSizeBytes()) {
                HugePages.advise(mapping, steps);
            }
            if (options.numaNode() != AllocOptions.ANY_NODE) {
                PageWishes.ofNode(mapping, options.numaNode(), steps); // also for pages that others touch first
            }
            if (options.reserve()) {
                reserve(fd, sizeBytes);
            }
            AllocReport report = new AllocReport(lengthBytes, pageBytes, steps);
            return new ShmMemory(label, fd, arena, mapping.asSlice(0, lengthBytes), report);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private static void reserve(Fd fd, long sizeBytes) {
        for (long at = 0; at < sizeBytes; at += RESERVE_STEP_BYTES) {
            MemFd.reserve(fd, at, Math.min(RESERVE_STEP_BYTES, sizeBytes - at));
        }
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public MemorySegment segment(Arena arena) {
        return Mapping.scoped(segment, arena);
    }

    @Override
    public AllocReport report() {
        return report;
    }

    /** The memfd; it closes with this object. */
    public Fd fd() {
        return fd;
    }

    /**
     * Adds a user that shares the memfd itself with other processes.
     *
     * @param writable whether the user may share it for writing
     * @param isolated whether the user must be the only one; then the memory is sealed now unless it is writable (S7.7)
     * @throws UrmaException ENOPERM if it was already sealed for readers; EINVAL if there is another user and one of them
     *     is isolated, or if it can no longer be sealed; EAGAIN while it is quarantined
     */
    public synchronized void addUser(Object user, boolean writable, boolean isolated) {
        quarantine.check(this);
        if (writable && sealedAgainstWriting) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    this,
                    "was imported as a READ segment and is permanently sealed against writing by other processes");
        }
        checkAlone(isolated);
        if (isolated && !writable) {
            sealAgainstWriting();
        }
        add(user, isolated);
        if (writable) {
            writableUsers.add(user);
        }
    }

    /** A user that shares no descriptor: seals concern it not, since the mapping here stays writable. */
    @Override
    public synchronized void addUser(Object user, boolean isolated) {
        quarantine.check(this);
        checkAlone(isolated);
        add(user, isolated);
    }

    private void checkAlone(boolean isolated) {
        if (alone != null || (isolated && !users.isEmpty())) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    this,
                    "is used by " + users + ", but an isolated segment cannot share its memory");
        }
    }

    private void add(Object user, boolean isolated) {
        users.add(user);
        alone = isolated ? user : null;
    }

    private void sealAgainstWriting() {
        shareReadOnly();
        if (!sealedAgainstWriting) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    this,
                    "was imported while a segment of it could be written, so it can no longer be sealed for readers");
        }
    }

    @Override
    public synchronized void removeUser(Object user) {
        users.remove(user);
        writableUsers.remove(user);
        if (user.equals(alone)) {
            alone = null;
        }
    }

    /** The descriptor for a peer that may write; its holder can add no seal. */
    public synchronized Fd shareWritable() {
        addSeals(Seal.SEAL);
        return fd;
    }

    /**
     * The descriptor for a peer that may only read. Unless the memory is shared for writing, it is sealed first: no process
     * without a writable mapping will ever get one. In any case its holder can add no seal.
     */
    public synchronized Fd shareReadOnly() {
        if (!writableUsers.isEmpty()) {
            addSeals(Seal.SEAL); // else a reader could seal it against later writers
        } else if (!sealedAgainstWriting) {
            addSeals(Seal.FUTURE_WRITE, Seal.SEAL);
            sealedAgainstWriting = MemFd.seals(fd).contains(Seal.FUTURE_WRITE);
        }
        if (readOnly == null) {
            readOnly = MemFd.openReadOnly(fd);
        }
        return readOnly;
    }

    private void addSeals(Seal... seals) {
        if (!MemFd.seals(fd).contains(Seal.SEAL)) {
            MemFd.addSeals(fd, seals);
        }
    }

    @Override
    public Quarantine quarantine() {
        return quarantine;
    }

    @Override
    public HostPinning pinning() {
        return pinning;
    }

    /** Unmaps it here; a thread that accesses it afterwards gets {@code IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        pinning.close(() -> Fence.close(this, arena));
        fd.close();
        synchronized (this) {
            if (readOnly != null) {
                readOnly.close();
            }
        }
    }

    @Override
    public String toString() {
        return "memory '" + label + "' of " + report.lengthBytes() + " bytes";
    }
}
