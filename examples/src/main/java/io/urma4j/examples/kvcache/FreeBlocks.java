package io.urma4j.examples.kvcache;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Which blocks the decoder has, and the generation of each: how often it was filled. For one thread. */
final class FreeBlocks {
    private final int[] free;
    private final long[] generations;
    private final Map<Integer, int[]> lent = new HashMap<>(); // by request
    private final SplittableRandom random;
    private int freeCount;
    private int nextRequest;

    /** All {@code blocks} are free. */
    FreeBlocks(int blocks, long seed) {
        this.free = new int[blocks];
        this.generations = new long[blocks];
        this.random = new SplittableRandom(seed);
        this.freeCount = blocks;
        for (int i = 0; i < blocks; i++) {
            free[i] = i;
        }
    }

    int count() {
        return freeCount;
    }

    /** Requests whose blocks the decoder has. */
    int requests() {
        return lent.size();
    }

    /** Takes random blocks of a new generation for a request; there must be that many. */
    void take(Request request, int count) {
        int[] taken = new int[count];
        for (int i = 0; i < count; i++) {
            int at = random.nextInt(freeCount);
            taken[i] = free[at];
            free[at] = free[--freeCount];
            request.blocks[i] = taken[i];
            request.generations[i] = ++generations[taken[i]];
        }
        request.count = count;
        request.number = nextRequest++ & Integer.MAX_VALUE;
        lent.put(request.number, taken);
    }

    /** Takes the blocks of a request back; false if the decoder does not have it. */
    boolean giveBack(int request) {
        int[] blocks = lent.remove(request);
        if (blocks == null) {
            return false;
        }
        for (int block : blocks) {
            free[freeCount++] = block;
        }
        return true;
    }
}
