package io.urma4j.shm.ring;

import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.support.FieldHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A ring of completion records from the thread that finishes a work request to the polling thread: single producer, single
 * consumer, each at a time. Internal to this process.
 *
 * <p><b>Memory order.</b> The producer writes a record, then stores {@code produced} with release; the consumer loads it
 * with acquire. The consumer stores {@code consumed} with release when it has copied records out; the producer loads it
 * with acquire before it writes there again. A role passes to another thread only through a lock of the owner.
 */
public final class CompletionRing {
    private static final VarHandle PRODUCED = FieldHandle.of(MethodHandles.lookup(), "produced", long.class);
    private static final VarHandle CONSUMED = FieldHandle.of(MethodHandles.lookup(), "consumed", long.class);

    private final long[] words;
    private final int mask;
    private long produced; // only the producer writes it
    private long consumed; // only the consumer writes it

    /** A ring of {@code depth} records, a power of two. */
    public CompletionRing(int depth) {
        words = new long[depth * CompletionRecord.WORDS];
        mask = depth - 1;
    }

    /** Producer: whether there is space for one more record. */
    public boolean hasRoom() {
        return produced - (long) CONSUMED.getAcquire(this) <= mask;
    }

    /** Producer: adds a record of the send side; there must be space. */
    public void push(long header, long userContext, long lengthBytes, long provider) {
        int at = ((int) produced & mask) * CompletionRecord.WORDS;
        long[] ring = words;
        ring[at] = header;
        ring[at + CompletionRecord.USER_CONTEXT] = userContext;
        ring[at + CompletionRecord.LENGTH] = lengthBytes;
        ring[at + CompletionRecord.PROVIDER] = provider;
        assert hasRoom() : "overwritten: " + produced + " produced, " + consumed + " consumed";
        PRODUCED.setRelease(this, produced + 1);
    }

    /** Producer: adds a record of the receive side; there must be space. */
    public void push(
            long header,
            long userContext,
            long lengthBytes,
            long immediate,
            long remote,
            long eidHigh,
            long eidLow,
            long provider) {
        int at = ((int) produced & mask) * CompletionRecord.WORDS;
        words[at + CompletionRecord.IMMEDIATE] = immediate;
        words[at + CompletionRecord.REMOTE] = remote;
        words[at + CompletionRecord.REMOTE_EID_HIGH] = eidHigh;
        words[at + CompletionRecord.REMOTE_EID_LOW] = eidLow;
        push(header, userContext, lengthBytes, provider);
    }

    /** Consumer: whether it is empty. Any thread may ask, and gets a possibly old answer. */
    public boolean isEmpty() {
        return (long) PRODUCED.getAcquire(this) == (long) CONSUMED.getOpaque(this);
    }

    /** Consumer: how many records can be taken. */
    public int available() {
        return (int) ((long) PRODUCED.getAcquire(this) - consumed);
    }

    /**
     * Consumer: moves the first {@code count} records into {@code batch}, from its record {@code record} on; there are at
     * least that many.
     *
     * @return true if all of them are of one owner, that is, the high halves of the provider's words are equal
     */
    public boolean take(long[] batch, int record, int count) {
        assert count >= 1 && count <= available() : count + " of " + available();
        int from = (int) consumed;
        long first = copy(from, batch, record); // outside the loop: a poll for one record has no loop
        boolean oneOwner = count == 1 || takeMore(from, batch, record, count, first);
        CONSUMED.setRelease(this, consumed + count);
        return oneOwner;
    }

    private boolean takeMore(int from, long[] batch, int record, int count, long first) {
        long differences = 0;
        for (int i = 1; i < count; i++) {
            differences |= copy(from + i, batch, record + i) ^ first;
        }
        return differences >>> 32 == 0;
    }

    /** Copies a record, and returns its provider's word. */
    private long copy(int position, long[] batch, int record) {
        long[] ring = words;
        int at = (position & mask) * CompletionRecord.WORDS;
        int to = record * CompletionRecord.WORDS;
        long header = ring[at];
        batch[to] = header;
        batch[to + CompletionRecord.USER_CONTEXT] = ring[at + CompletionRecord.USER_CONTEXT];
        batch[to + CompletionRecord.LENGTH] = ring[at + CompletionRecord.LENGTH];
        long provider = ring[at + CompletionRecord.PROVIDER];
        batch[to + CompletionRecord.PROVIDER] = provider;
        if (CompletionRecord.has(header, CompletionRecord.RECEIVE)) { // the others leave these words empty
            copyReceived(ring, at, batch, to);
        }
        return provider;
    }

    private static void copyReceived(long[] ring, int at, long[] batch, int to) {
        batch[to + CompletionRecord.IMMEDIATE] = ring[at + CompletionRecord.IMMEDIATE];
        batch[to + CompletionRecord.REMOTE] = ring[at + CompletionRecord.REMOTE];
        batch[to + CompletionRecord.REMOTE_EID_HIGH] = ring[at + CompletionRecord.REMOTE_EID_HIGH];
        batch[to + CompletionRecord.REMOTE_EID_LOW] = ring[at + CompletionRecord.REMOTE_EID_LOW];
    }

    /** Producer: whether an unpolled record has {@code high} as the high half of its provider's word. */
    public boolean holds(int high) {
        return holds(high, 0);
    }

    /** The same of records that have one of {@code flags}. */
    public boolean holds(int high, int flags) {
        for (long position = (long) CONSUMED.getAcquire(this); position != produced; position++) {
            int at = ((int) position & mask) * CompletionRecord.WORDS;
            if ((int) (words[at + CompletionRecord.PROVIDER] >>> 32) == high
                    && (flags == 0 || CompletionRecord.has(words[at], flags))) {
                return true;
            }
        }
        return false;
    }

    /** Producer and consumer in one: drops the records whose provider's word has {@code high} as its high half. */
    public void purge(int high) {
        long kept = consumed;
        for (long position = consumed; position != produced; position++) {
            int at = ((int) position & mask) * CompletionRecord.WORDS;
            if ((int) (words[at + CompletionRecord.PROVIDER] >>> 32) != high) {
                int to = ((int) kept++ & mask) * CompletionRecord.WORDS;
                System.arraycopy(words, at, words, to, CompletionRecord.WORDS);
            }
        }
        assert kept >= consumed && kept <= produced : consumed + " to " + kept + " of " + produced;
        PRODUCED.setRelease(this, kept);
    }
}
