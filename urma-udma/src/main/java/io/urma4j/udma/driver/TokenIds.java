package io.urma4j.udma.driver;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.support.IdSpace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * The segments of a context by token id. The keys of all segments under one id have one owner on the card, so that one
 * SEND_INVALIDATE revokes them together. A token id is not released before its last segment is gone (S4.5). Safe for any
 * thread.
 */
final class TokenIds {
    private static final int MAX_TOKEN_ID = 0xFF_FFFF;

    private final Adapter adapter;
    private final IntConsumer invalidated;
    private final IdSpace ids = new IdSpace("token id", MAX_TOKEN_ID);
    private final Map<Integer, List<UdmaSegment>> segments = new HashMap<>(); // these three: guarded by this
    private final Map<Integer, Long> owners = new HashMap<>();
    private final Set<Integer> allocated = new HashSet<>(); // apart from segments, and not freed

    /** Without ids; {@code invalidated} runs on the engine's thread when a message has revoked a token id. */
    TokenIds(Adapter adapter, IntConsumer invalidated) {
        this.adapter = adapter;
        this.invalidated = invalidated;
    }

    synchronized int allocate() {
        int tokenId = take();
        allocated.add(tokenId);
        return tokenId;
    }

    synchronized void free(int tokenId) {
        if (allocated.remove(tokenId) && !segments.containsKey(tokenId)) {
            give(tokenId);
        }
    }

    private int take() {
        int tokenId = ids.take(0);
        owners.put(tokenId, adapter.newOwner(() -> invalidated.accept(tokenId)));
        return tokenId;
    }

    private void give(int tokenId) {
        Long owner = owners.remove(tokenId);
        if (owner != null) {
            adapter.forgetOwner(owner);
        }
        ids.give(tokenId);
    }

    /** The id for a segment: an allocated one, or for 0 one that ends with it. */
    synchronized int forSegment(int wanted) {
        if (wanted == 0) {
            return take();
        }
        if (!allocated.contains(wanted)) {
            throw new UrmaException(UrmaStatus.EINVAL, "token id " + wanted, "is not allocated");
        }
        return wanted;
    }

    /** The owner on the card of the keys under that id. */
    synchronized long owner(int tokenId) {
        return owners.getOrDefault(tokenId, 0L);
    }

    synchronized void add(UdmaSegment segment) {
        segments.computeIfAbsent(segment.tokenId(), _ -> new ArrayList<>()).add(segment);
    }

    /** The registration failed. */
    synchronized void giveUp(int tokenId) {
        if (!allocated.contains(tokenId) && !segments.containsKey(tokenId)) {
            give(tokenId);
        }
    }

    /** Removes a segment; false if it was removed before. */
    synchronized boolean remove(UdmaSegment segment) {
        List<UdmaSegment> all = segments.get(segment.tokenId());
        if (all == null || !all.remove(segment)) {
            return false;
        }
        if (all.isEmpty()) {
            segments.remove(segment.tokenId());
            giveUp(segment.tokenId());
        }
        return true;
    }

    synchronized List<UdmaSegment> under(int tokenId) {
        return List.copyOf(segments.getOrDefault(tokenId, List.of()));
    }

    synchronized List<UdmaSegment> all() {
        return segments.values().stream().flatMap(List::stream).toList();
    }
}
