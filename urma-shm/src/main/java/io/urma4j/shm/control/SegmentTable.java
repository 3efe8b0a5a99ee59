package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.support.IdSpace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a context by token id, and by key among those of one id. A key is never reused; a token id is not
 * released before its last segment is gone, with the last import that could name it (S4.5). Safe for any thread; lookups
 * take no lock.
 */
final class SegmentTable {
    private static final int MAX_TOKEN_ID = 0xFF_FFFF;

    /** Creates a segment from its two numbers. */
    @FunctionalInterface
    interface Maker {
        ShmSegment make(int tokenId, long key);
    }

    private final IdSpace tokenIds = new IdSpace("token id", MAX_TOKEN_ID);
    private final Map<Integer, List<ShmSegment>> byTokenId = new ConcurrentHashMap<>(); // of immutable lists
    private final Set<Integer> allocated = new HashSet<>(); // apart from segments, and not freed; guarded by this
    private long lastKey; // guarded by this

    synchronized int allocateTokenId() {
        int tokenId = tokenIds.take(0);
        allocated.add(tokenId);
        return tokenId;
    }

    synchronized void freeTokenId(int tokenId) {
        if (allocated.remove(tokenId) && !byTokenId.containsKey(tokenId)) {
            tokenIds.give(tokenId);
        }
    }

    /**
     * Reserves an entry for a segment.
     *
     * @param wanted an allocated token id, or 0 for one that ends with the segment
     */
    synchronized ShmSegment add(int wanted, Maker maker) {
        if (wanted != 0 && !allocated.contains(wanted)) {
            throw new UrmaException(UrmaStatus.EINVAL, "token id " + wanted, "is not allocated");
        }
        int tokenId = wanted == 0 ? tokenIds.take(0) : wanted;
        ShmSegment made = maker.make(tokenId, ++lastKey);
        List<ShmSegment> all = new ArrayList<>(under(tokenId));
        all.add(made);
        byTokenId.put(tokenId, List.copyOf(all));
        return made;
    }

    /** Removes a segment; false if it was removed before. */
    synchronized boolean remove(ShmSegment segment) {
        int tokenId = segment.tokenId();
        List<ShmSegment> others =
                under(tokenId).stream().filter(other -> other != segment).toList();
        if (others.size() == under(tokenId).size()) {
            return false;
        }
        if (!others.isEmpty()) {
            byTokenId.put(tokenId, others);
            return true;
        }
        byTokenId.remove(tokenId);
        if (!allocated.contains(tokenId)) {
            tokenIds.give(tokenId);
        }
        return true;
    }

    List<ShmSegment> under(int tokenId) {
        return byTokenId.getOrDefault(tokenId, List.of());
    }

    @Nullable
    ShmSegment find(int tokenId, long key) {
        for (ShmSegment segment : under(tokenId)) {
            if (segment.key() == key) {
                return segment;
            }
        }
        return null;
    }

    List<ShmSegment> all() {
        return byTokenId.values().stream().flatMap(List::stream).toList();
    }
}
