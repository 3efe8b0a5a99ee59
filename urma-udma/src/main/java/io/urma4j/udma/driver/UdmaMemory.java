package io.urma4j.udma.driver;

import io.urma4j.AllocOptions;
import io.urma4j.AllocReport;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.PageWishes;
import io.urma4j.spi.ProviderMemory;
import io.urma4j.spi.support.MemoryBudget;
import io.urma4j.spi.support.MemoryLimits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Private memory of this process, page-aligned. Other processes can access it only through the card. Safe for any thread. */
final class UdmaMemory implements ProviderMemory {
    private static final MemoryBudget BUDGET = new MemoryBudget();
    private static final long CLOSE_PATIENCE_NANOS = 5_000_000_000L;
    private static final long RETRY_NANOS = 200_000;

    private final Arena arena;
    private final MemorySegment segment;
    private final AllocReport report;
    private final Map<Object, List<String>> quarantines = new LinkedHashMap<>(); // these three: guarded by this
    private int users;
    private boolean alone;

    private UdmaMemory(Arena arena, MemorySegment segment, AllocReport report) {
        this.arena = arena;
        this.segment = segment;
        this.report = report;
    }

    /**
     * Allocates zeroed memory.
     *
     * @throws UrmaException ENOMEM if the machine or a control group lacks memory
     */
    static UdmaMemory allocate(long lengthBytes, AllocOptions options) {
        long pageBytes = Mapping.pageSizeBytes();
        long sizeBytes = (lengthBytes + pageBytes - 1) / pageBytes * pageBytes;
        BUDGET.take("allocate", sizeBytes, MemoryLimits.ofThisProcess());
        Arena arena = Arena.ofShared();
        try {
            MemorySegment mapping = Mapping.anonymous(sizeBytes, arena);
            List<String> steps = new ArrayList<>();
            if (options.hugePages()) {
                PageWishes.huge(mapping, steps);
            }
            if (options.numaNode() != AllocOptions.ANY_NODE) {
                PageWishes.ofNode(mapping, options.numaNode(), steps);
            }
            if (options.reserve()) {
                Mapping.advise(mapping, Mapping.Advice.POPULATE_WRITE);
            }
            return new UdmaMemory(
                    arena, mapping.asSlice(0, lengthBytes), new AllocReport(lengthBytes, pageBytes, steps));
        } catch (LibcException e) {
            arena.close();
            throw new UrmaException(
                    UrmaStatus.ENOMEM, "allocate", "cannot allocate " + lengthBytes + " bytes: " + e.getMessage(), e);
        }
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public AllocReport report() {
        return report;
    }

    /**
     * Adds a segment that uses the memory.
     *
     * @param isolated whether it must be the only one (S7.7)
     * @throws UrmaException EINVAL if another segment uses it and one of them is isolated; EAGAIN while importers of an
     *     earlier registration have not released it
     */
    synchronized void addUser(boolean isolated) {
        checkNotQuarantined();
        if (alone || (isolated && users > 0)) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    this,
                    "is used by another segment, and an isolated segment shares its memory with none");
        }
        users++;
        alone = isolated;
    }

    synchronized void removeUser() {
        users--;
        alone = false;
    }

    /** Prevents a new registration of the memory while these importers of {@code by} have not released it. */
    synchronized void quarantine(Object by, List<String> importers) {
        quarantines.put(by, List.copyOf(importers));
    }

    synchronized void endQuarantine(Object by) {
        quarantines.remove(by);
    }

    private void checkNotQuarantined() {
        if (!quarantines.isEmpty()) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN, this, "is quarantined: these may still use it: " + quarantines.values());
        }
    }

    /** Frees it; a thread that accesses it afterwards gets {@code IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        long deadlineNanos = System.nanoTime() + CLOSE_PATIENCE_NANOS;
        while (!tryClose()) {
            if (deadlineNanos - System.nanoTime() <= 0) {
                throw new UrmaException(UrmaStatus.EAGAIN, this, "cannot be closed, a native call still uses it");
            }
            LockSupport.parkNanos(RETRY_NANOS);
        }
    }

    private boolean tryClose() {
        try {
            if (arena.scope().isAlive()) {
                arena.close();
            }
            return true;
        } catch (IllegalStateException e) {
            return !arena.scope().isAlive(); // else a native call holds it: the JDK throws nothing more exact
        }
    }

    @Override
    public String toString() {
        return "memory of " + report.lengthBytes() + " bytes";
    }
}
