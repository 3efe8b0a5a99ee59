package io.urma4j.udma.driver;

import io.urma4j.AllocOptions;
import io.urma4j.AllocReport;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.PageWishes;
import io.urma4j.spi.ProviderMemory;
import io.urma4j.spi.support.Fence;
import io.urma4j.spi.support.MemoryBudget;
import io.urma4j.spi.support.MemoryLimits;
import io.urma4j.spi.support.Quarantine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Private memory of this process, page-aligned. Other processes can access it only through the card. Safe for any thread. */
final class UdmaMemory implements ProviderMemory {
    private static final MemoryBudget BUDGET = new MemoryBudget();

    private final Arena arena;
    private final MemorySegment segment;
    private final AllocReport report;
    private final Quarantine quarantine = new Quarantine();
    private int users; // these two: guarded by this
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
        quarantine.check(this);
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

    /** The importers of earlier registrations that have not released it. */
    Quarantine quarantine() {
        return quarantine;
    }

    /** Frees it; a thread that accesses it afterwards gets {@code IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        Fence.close(this, arena);
    }

    @Override
    public String toString() {
        return "memory of " + report.lengthBytes() + " bytes";
    }
}
