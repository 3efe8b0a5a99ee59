package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.spi.CompletionRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The target buffer of {@link Jfc#poll}: created once and reused, so that polling allocates nothing.
 *
 * <p>Records are numbered from 0 to {@link #size()} − 1. They are valid until the next poll into the same batch. For one
 * thread at a time.
 */
public final class CompletionBatch {
    private final long[] words;
    private final int capacity;
    private int size;

    /** A batch with space for {@code capacity} records, 1…65536. */
    public CompletionBatch(int capacity) {
        Checks.inRange("CompletionBatch", "capacity", capacity, 1, 1 << 16);
        this.capacity = capacity;
        this.words = new long[capacity * CompletionRecord.WORDS];
    }

    private CompletionBatch(long[] words) {
        this.words = words;
        this.capacity = words.length / CompletionRecord.WORDS;
        this.size = capacity;
    }

    /** Copies records that other code has laid out consecutively, as values. */
    static List<Completion> of(long[] words) {
        return new CompletionBatch(words).completions();
    }

    public int capacity() {
        return capacity;
    }

    /** How many records the last poll returned. */
    public int size() {
        return size;
    }

    public CompletionStatus status(int index) {
        return CompletionStatus.of(CompletionRecord.status(header(index)));
    }

    public boolean isSuccess(int index) {
        return CompletionRecord.status(header(index)) == 0;
    }

    /** The opcode of the work request; on the receive side, of the sender's request. */
    public Opcode opcode(int index) {
        return Opcode.of(CompletionRecord.opcode(header(index)));
    }

    /** The value given at post; 0 for markers. */
    public long userContext(int index) {
        return word(index, CompletionRecord.USER_CONTEXT);
    }

    /** Bytes moved. */
    public long lengthBytes(int index) {
        return word(index, CompletionRecord.LENGTH);
    }

    /** True for a received message, false for a work request of the send side. */
    public boolean isReceive(int index) {
        return CompletionRecord.has(header(index), CompletionRecord.RECEIVE);
    }

    /** Whether the local queue is a Jetty. */
    public boolean isJetty(int index) {
        return CompletionRecord.has(header(index), CompletionRecord.JETTY);
    }

    public boolean hasImmediate(int index) {
        return CompletionRecord.has(header(index), CompletionRecord.HAS_IMMEDIATE);
    }

    /** The sender's immediate; valid if {@link #hasImmediate}. */
    public long immediate(int index) {
        return word(index, CompletionRecord.IMMEDIATE);
    }

    /** Whether the message revoked a token id of this context. */
    public boolean hasInvalidatedTokenId(int index) {
        return CompletionRecord.has(header(index), CompletionRecord.HAS_INVALIDATED);
    }

    /** The revoked token id; valid if {@link #hasInvalidatedTokenId}. */
    public int invalidatedTokenId(int index) {
        return (int) word(index, CompletionRecord.IMMEDIATE);
    }

    /** Whether this is the last record before a queue in ERROR has drained (S6.6). */
    public boolean isFlushErrDone(int index) {
        return CompletionRecord.has(header(index), CompletionRecord.FLUSH_ERR_DONE);
    }

    /** Whether this is the last record before a suspended queue has drained (S6.10). */
    public boolean isSuspendDone(int index) {
        return CompletionRecord.has(header(index), CompletionRecord.SUSPEND_DONE);
    }

    /** Number of the local JFS, Jetty or JFR. */
    public int localId(int index) {
        return CompletionRecord.localId(header(index));
    }

    /** Number of the sender's queue; receive side only. */
    public int remoteId(int index) {
        return CompletionRecord.remoteId(word(index, CompletionRecord.REMOTE));
    }

    /** The sender of the message; receive side only. Allocates an object; {@link #remoteId} does not. */
    public JettyId source(int index) {
        long remote = word(index, CompletionRecord.REMOTE);
        Eid eid = new Eid(word(index, CompletionRecord.REMOTE_EID_HIGH), word(index, CompletionRecord.REMOTE_EID_LOW));
        return new JettyId(eid, CompletionRecord.remoteUasid(remote), CompletionRecord.remoteId(remote));
    }

    /** Number of the transport path of the message; receive side only. */
    public int pathNumber(int index) {
        return CompletionRecord.path(word(index, CompletionRecord.REMOTE));
    }

    /** The record as a value. */
    public Completion completion(int index) {
        return new Completion(
                status(index),
                opcode(index),
                localId(index),
                userContext(index),
                lengthBytes(index),
                hasImmediate(index) ? OptionalLong.of(immediate(index)) : OptionalLong.empty(),
                isReceive(index) ? Optional.of(source(index)) : Optional.empty());
    }

    /** All records as values. */
    public List<Completion> completions() {
        List<Completion> completions = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            completions.add(completion(i));
        }
        return completions;
    }

    long[] words() {
        return words;
    }

    /** Sets the number of records that {@link #words} holds. */
    int filled(int count) {
        size = count;
        return count;
    }

    private long header(int index) {
        return word(index, 0);
    }

    private long word(int index, int word) {
        if (index < 0 || index >= size) {
            throw Checks.noSuchRecord(index, size);
        }
        return words[index * CompletionRecord.WORDS + word];
    }

    @Override
    public String toString() {
        return "CompletionBatch" + completions();
    }
}
