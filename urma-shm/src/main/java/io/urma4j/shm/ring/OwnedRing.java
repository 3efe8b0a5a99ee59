package io.urma4j.shm.ring;

import io.urma4j.spi.CompletionRecord;

/**
 * Completion records of the send side that one thread writes and the same thread takes: no memory ordering is needed, and
 * four words per record are enough.
 */
public final class OwnedRing {
    private static final int WORDS = 4; // header, user context, length, provider's word

    private final long[] words;
    private final int mask;
    private int produced;
    private int consumed;

    /** A ring of {@code depth} records, a power of two. */
    public OwnedRing(int depth) {
        words = new long[depth * WORDS];
        mask = depth - 1;
    }

    /** Adds a record; false if there is no space. */
    public boolean push(long header, long userContext, long lengthBytes, long provider) {
        int position = produced;
        if (position - consumed > mask) {
            return false;
        }
        int at = (position & mask) * WORDS;
        long[] ring = words;
        ring[at] = header;
        ring[at + 1] = userContext;
        ring[at + 2] = lengthBytes;
        ring[at + 3] = provider;
        produced = position + 1;
        return true;
    }

    public boolean isEmpty() {
        return produced == consumed;
    }

    public int size() {
        return produced - consumed;
    }

    /**
     * Moves the first {@code count} records into {@code batch}; there are at least that many, and at least one.
     *
     * @return true if all of them are of one owner, that is, the high halves of the provider's words are equal
     */
    public boolean take(long[] batch, int count) {
        assert count >= 1 && count <= size() : count + " of " + size();
        int from = consumed;
        consumed = from + count;
        long first = copy(from, batch, 0); // outside the loop: a poll for one record has no loop
        return count == 1 || takeMore(from, batch, count, first);
    }

    private boolean takeMore(int from, long[] batch, int count, long first) {
        long differences = 0;
        for (int i = 1; i < count; i++) {
            differences |= copy(from + i, batch, i) ^ first;
        }
        return differences >>> 32 == 0;
    }

    /** Copies a record, and returns its provider's word. */
    private long copy(int position, long[] batch, int record) {
        long[] ring = words;
        int at = (position & mask) * WORDS;
        int to = record * CompletionRecord.WORDS;
        batch[to] = ring[at];
        batch[to + CompletionRecord.USER_CONTEXT] = ring[at + 1];
        batch[to + CompletionRecord.LENGTH] = ring[at + 2];
        long provider = ring[at + 3];
        batch[to + CompletionRecord.PROVIDER] = provider;
        return provider;
    }

    /** Whether a record has {@code high} as the high half of its provider's word. */
    public boolean holds(int high) {
        for (int position = consumed; position != produced; position++) {
            if ((int) (words[(position & mask) * WORDS + 3] >>> 32) == high) {
                return true;
            }
        }
        return false;
    }

    /** Drops the records whose provider's word has {@code high} as its high half. */
    public void purge(int high) {
        int kept = consumed;
        for (int position = consumed; position != produced; position++) {
            int at = (position & mask) * WORDS;
            if ((int) (words[at + 3] >>> 32) != high) {
                System.arraycopy(words, at, words, (kept++ & mask) * WORDS, WORDS);
            }
        }
        produced = kept;
    }
}
