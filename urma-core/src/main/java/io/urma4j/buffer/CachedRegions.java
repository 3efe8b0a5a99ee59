package io.urma4j.buffer;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The regions that a {@link RegistrationCache} finds, by address and in the order of their last use. Under its lock. */
final class CachedRegions {
    private final int maxRegions;
    private final long maxBytes;
    private final NavigableMap<Long, List<CachedRegion>> byStart = new TreeMap<>(); // regions may overlap
    private final LinkedHashSet<CachedRegion> byUse = new LinkedHashSet<>();
    private long bytes;
    private long longestBytes; // of all since there was none

    CachedRegions(int maxRegions, long maxBytes) {
        this.maxRegions = maxRegions;
        this.maxBytes = maxBytes;
    }

    int count() {
        return byUse.size();
    }

    long bytes() {
        return bytes;
    }

    int used() {
        return (int) byUse.stream().filter(region -> region.users > 0).count();
    }

    /** The region that has the memory, with one user more; null for none. */
    @Nullable
    CachedRegion use(MemorySegment memory) {
        for (List<CachedRegion> regions : startingIn(memory.address() - longestBytes, memory.address())) {
            for (CachedRegion region : regions) {
                if (region.has(memory)) {
                    region.users++;
                    byUse.addLast(region); // the youngest from now on
                    return region;
                }
            }
        }
        return null;
    }

    /** Those that share a byte with the memory. */
    List<CachedRegion> overlapping(MemorySegment memory) {
        long last = memory.address() + memory.byteSize() - 1;
        return startingIn(memory.address() - longestBytes, last).stream()
                .flatMap(List::stream)
                .filter(region -> region.overlaps(memory))
                .toList();
    }

    /** The nearest to {@code last} first. */
    private Collection<List<CachedRegion>> startingIn(long first, long last) {
        return byStart.subMap(first, true, Math.max(first, last), true)
                .descendingMap()
                .values();
    }

    /** Adds a region, after it has removed the least recently used ones, as far as they may go; or leaves all as it is. */
    void add(CachedRegion added, Collection<CachedRegion> removed, Predicate<CachedRegion> mayGo) {
        List<CachedRegion> going = new ArrayList<>();
        long left = bytes;
        Iterator<CachedRegion> oldest = byUse.iterator();
        while (!fits(added, byUse.size() - going.size(), left) && oldest.hasNext()) {
            CachedRegion candidate = oldest.next();
            if (candidate.users == 0 && mayGo.test(candidate)) {
                going.add(candidate);
                left -= candidate.lengthBytes();
            }
        }
        if (!fits(added, byUse.size() - going.size(), left)) {
            return;
        }
        going.forEach(this::remove);
        removed.addAll(going);
        added.isCached = true;
        byStart.computeIfAbsent(added.start(), _ -> new ArrayList<>(1)).add(added);
        byUse.add(added);
        bytes += added.lengthBytes();
        longestBytes = Math.max(longestBytes, added.lengthBytes());
    }

    private boolean fits(CachedRegion added, int count, long beside) {
        return count < maxRegions && added.lengthBytes() <= maxBytes - beside;
    }

    /** Removes those whose memory is gone. */
    void removeDead(Collection<CachedRegion> removed) {
        for (CachedRegion region : List.copyOf(byUse)) {
            if (!region.memory().scope().isAlive()) {
                remove(region);
                removed.add(region);
            }
        }
    }

    void removeAll(Collection<CachedRegion> removed) {
        removed.addAll(byUse);
        removed.forEach(this::remove);
    }

    void remove(CachedRegion region) {
        if (!byUse.remove(region)) {
            return;
        }
        region.isCached = false;
        bytes -= region.lengthBytes();
        List<CachedRegion> sameStart = byStart.get(region.start());
        if (sameStart != null && sameStart.remove(region) && sameStart.isEmpty()) {
            byStart.remove(region.start());
        }
        if (byUse.isEmpty()) {
            longestBytes = 0;
        }
    }

    @Override
    public String toString() {
        return byUse.size() + " regions of " + bytes + " bytes";
    }
}
