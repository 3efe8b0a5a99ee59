package io.urma4j.tck;

/** A segment that the home has imported: for what it does as an initiator. */
public interface HomeImport extends HomeObject {
    Outcome write(long offset, byte[] bytes);

    /** Adds 1 to eight bytes, {@code times} times, one after the other. */
    void addOnes(long offset, int times);

    boolean isRevoked();

    /** Maps it, and loads eight bytes. */
    long mappedWord(long offset);

    /** Maps it, and stores eight bytes. */
    void setMappedWord(long offset, long value);

    /** Maps it at the home's own address, and tells that. */
    long mapAtHomeAddress();

    void close();
}
