package io.urma4j.buffer;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Chunks by numbers, which {@link Magazines} hold in their place: a store of a number costs no barrier of the garbage collector. The
 * allocator's lock guards changes; any thread may look up a number that another thread has handed to it.
 *
 * <p>Memory order: a number is handed over by a compare-and-swap, after its chunk was stored here. So the reader finds the chunk, also
 * if the array was replaced by a longer one meanwhile.
 */
final class ChunkNumbers {
    /** Of no chunk. */
    static final int NONE = 0;

    private volatile @Nullable Chunk[] chunks = new Chunk[64];
    private final Deque<Integer> free = new ArrayDeque<>();
    private int used = NONE + 1;

    /** A number for a chunk, until {@link #remove}. */
    int add(Chunk chunk) {
        int number = free.isEmpty() ? used++ : free.pop();
        @Nullable Chunk[] present = chunks;
        if (number == present.length) {
            present = Arrays.copyOf(present, 2 * number);
        }
        present[number] = chunk;
        chunks = present; // publishes the element
        return number;
    }

    /** The chunk is gone; no magazine holds its number. */
    void remove(int number) {
        chunks[number] = null;
        free.push(number);
    }

    /** The chunk with a number that was taken out of a magazine. */
    Chunk get(int number) {
        Chunk chunk = chunks[number];
        if (chunk == null) {
            throw new AssertionError("chunk " + number + " is gone, but its number was in a magazine");
        }
        return chunk;
    }

    @Override
    public String toString() {
        return used - 1 - free.size() + " numbered chunks";
    }
}
