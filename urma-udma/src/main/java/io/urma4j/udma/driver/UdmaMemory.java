package io.urma4j.udma.driver;

import io.urma4j.AllocOptions;
import io.urma4j.AllocReport;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Mapping;
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
import java.util.Set;

/** Private memory of this process, page-aligned. Other processes can access it only through the card. Safe for any thread. */
final class UdmaMemory implements HostMemory {
    private static final MemoryBudget BUDGET = new MemoryBudget();

    private final Arena arena;
    private final MemorySegment segment;
    private final AllocReport report;
    private final Quarantine quarantine = new Quarantine();
    private final HostPinning pinning;
    private final Set<Object> users = new LinkedHashSet<>(); // these two: guarded by this
    private boolean alone;

    private UdmaMemory(Arena arena, MemorySegment segment, AllocReport report) {
        this.arena = arena;
        this.segment = segment;
        this.pinning = new HostPinning(segment);
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
    public MemorySegment segment(Arena arena) {
        return Mapping.scoped(segment, arena);
    }

    @Override
    public AllocReport report() {
        return report;
    }

    @Override
    public synchronized void addUser(Object user, boolean isolated) {
        quarantine.check(this);
        if (alone || (isolated && !users.isEmpty())) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    this,
                    "is used by " + users + ", but an isolated segment cannot share its memory");
        }
        users.add(user);
        alone = isolated;
    }

    @Override
    public synchronized void removeUser(Object user) {
        users.remove(user);
        alone = false;
    }

    @Override
    public Quarantine quarantine() {
        return quarantine;
    }

    @Override
    public HostPinning pinning() {
        return pinning;
    }

    /** Frees it; a thread that accesses it afterwards gets {@code IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        pinning.close(() -> Fence.close(this, arena));
    }

    @Override
    public String toString() {
        return "memory of " + report.lengthBytes() + " bytes";
    }
}
