package io.urma4j.tck;

/** A segment that the home has imported: for what it does as an initiator. */
public interface HomeImport extends HomeObject {
    Outcome write(long offset, byte[] bytes);

    /** Adds 1 to eight bytes, {@code times} times, one after the other. */
    void addOnes(long offset, int times);

    boolean isRevoked();

    void close();
}
