package io.urma4j.npu;

import io.urma4j.npu.NpuFrames.Frame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Translates the bus addresses of other devices into physical ones, for each domain in another way. An access that it does not
 * know is a fault, and moves nothing. Safe for any thread.
 */
public final class NpuIommu {
    private static final long DOMAIN_BYTES = 1L << 40;

    private static final int MAX_FAULTS = 1_000;

    private final Map<Long, Frame> mapped = new HashMap<>(); // by bus address of the page; all guarded by this
    private final List<String> faults = new ArrayList<>();
    private final long pageBytes;
    private long next = 1;

    NpuIommu(long pageBytes) {
        this.pageBytes = pageBytes;
    }

    /** Maps a page for a domain, and returns its bus address: one that no page has had. */
    synchronized long map(int domain, Frame frame) {
        long bus = (domain + 1) * DOMAIN_BYTES + next++ * pageBytes;
        mapped.put(bus, frame);
        return bus;
    }

    synchronized boolean unmap(long busAddress) {
        return mapped.remove(busAddress) != null;
    }

    /** Finds a page, or records a fault and returns null. */
    synchronized @Nullable Frame find(int domain, long busAddress) {
        long page = busAddress & -pageBytes;
        Frame frame = page / DOMAIN_BYTES == domain + 1 ? mapped.get(page) : null;
        if (frame == null && faults.size() < MAX_FAULTS) {
            faults.add("domain " + domain + " accessed bus address 0x" + Long.toHexString(busAddress));
        }
        return frame;
    }

    /** Pages that are mapped; 0 once nothing is registered. */
    public synchronized int mappings() {
        return mapped.size();
    }

    /** The first 1,000 accesses that found no mapping. */
    public synchronized List<String> faults() {
        return List.copyOf(faults);
    }
}
