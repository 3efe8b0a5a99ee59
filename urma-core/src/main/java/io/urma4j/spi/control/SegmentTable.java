package io.urma4j.spi.control;

import io.urma4j.PeerId;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.support.IdSpace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a context by token id. A token id is not released before its last segment is gone, with the last import
 * that could name it (S4.5). Safe for any thread; lookups take no lock.
 *
 * @param <S> a segment
 */
public final class SegmentTable<S extends SegmentTable.Entry> {
    private static final int MAX_TOKEN_ID = 0xFF_FFFF;

    private static final String REFUSAL = "the home refused: wrong token id, token, or access";

    private final IntConsumer whenTaken;
    private final IntConsumer whenGiven;
    private final IdSpace tokenIds = new IdSpace("token id", MAX_TOKEN_ID);
    private final Map<Integer, List<S>> segments = new ConcurrentHashMap<>(); // of immutable lists
    private final Set<Integer> allocated = new HashSet<>(); // apart from segments, and not freed; guarded by this

    /** A segment of a provider. */
    public interface Entry {
        ExportedSegment<?> exported();
    }

    /**
     * An empty table.
     *
     * @param whenTaken runs with each token id before its first segment, and without any other lock
     * @param whenGiven runs with each token id after its last segment
     */
    public SegmentTable(IntConsumer whenTaken, IntConsumer whenGiven) {
        this.whenTaken = whenTaken;
        this.whenGiven = whenGiven;
    }

    public synchronized int allocate() {
        int tokenId = take();
        allocated.add(tokenId);
        return tokenId;
    }

    public synchronized void free(int tokenId) {
        if (allocated.remove(tokenId)) {
            giveUnused(tokenId);
        }
    }

    /**
     * Adds a segment.
     *
     * @param wanted an allocated token id, or 0 for one that ends with the segment
     * @param maker creates the segment from its token id
     */
    public synchronized S add(int wanted, IntFunction<S> maker) {
        if (wanted != 0 && !allocated.contains(wanted)) {
            throw new UrmaException(UrmaStatus.EINVAL, "token id " + wanted, "is not allocated");
        }
        int tokenId = wanted == 0 ? take() : wanted;
        try {
            S made = maker.apply(tokenId);
            List<S> all = new ArrayList<>(under(tokenId));
            all.add(made);
            segments.put(tokenId, List.copyOf(all));
            return made;
        } catch (RuntimeException e) {
            giveUnused(tokenId);
            throw e;
        }
    }

    /** Removes a segment; false if it was removed before. */
    public synchronized boolean remove(S segment) {
        int tokenId = segment.exported().descriptor().tokenId();
        List<S> all = under(tokenId);
        List<S> others = all.stream().filter(other -> !other.equals(segment)).toList();
        if (others.size() == all.size()) {
            return false;
        }
        if (others.isEmpty()) {
            segments.remove(tokenId);
            giveUnused(tokenId);
        } else {
            segments.put(tokenId, others);
        }
        return true;
    }

    /**
     * The segment that a peer may import; null if there is none.
     *
     * @param from the proven identity of the peer; null if another peer has proven the same
     * @param key of the segment
     */
    public @Nullable S opened(@Nullable PeerId from, ImportSegment wanted, long key) {
        S found = null;
        for (S segment : under(wanted.tokenId())) {
            if (segment.exported().key() == key) {
                found = segment;
            }
        }
        ExportedSegment<?> exported = found == null ? null : found.exported();
        return ExportedSegment.opens(exported, from, wanted.token(), wanted.access()) ? found : null;
    }

    /** The answer when {@link #opened} finds none: one for all failures, so it reveals nothing to a guesser (S7.6). */
    public static Refused refusal(long number) {
        return new Refused(number, UrmaStatus.ENOPERM, REFUSAL);
    }

    private int take() {
        int tokenId = tokenIds.take(0);
        whenTaken.accept(tokenId);
        return tokenId;
    }

    private void giveUnused(int tokenId) {
        if (!allocated.contains(tokenId) && !segments.containsKey(tokenId)) {
            whenGiven.accept(tokenId);
            tokenIds.give(tokenId);
        }
    }

    public List<S> under(int tokenId) {
        return segments.getOrDefault(tokenId, List.of());
    }

    public List<S> all() {
        return segments.values().stream().flatMap(List::stream).toList();
    }
}
