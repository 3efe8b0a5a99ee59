package io.urma4j.tck;

import io.urma4j.SharedJetty;
import java.util.List;

/** A segment that the home has imported, for its operations as an initiator. */
public interface HomeImport extends HomeObject {
    Outcome write(long offset, byte[] bytes);

    /** Adds 1 to eight bytes, {@code times} times, one after the other. */
    void addOnes(long offset, int times);

    /** Random atomics and reads on {@code words} words; returns their results. */
    List<AtomicStep> strike(long first, int words, int sizeBytes, long seed, int count);

    boolean isRevoked();

    /** Maps it, and loads eight bytes. */
    long mappedWord(long offset);

    /** Maps it, and stores eight bytes. */
    void setMappedWord(long offset, long value);

    /**
     * Opens a window of it, and leaves an operation in progress there, behind a message to {@code unready}, a queue of
     * the same home that has no receive.
     */
    void holdWindow(String key, SharedJetty unready);

    /** Maps it at the home's own address, and returns that address. */
    long mapAtHomeAddress();

    void close();
}
