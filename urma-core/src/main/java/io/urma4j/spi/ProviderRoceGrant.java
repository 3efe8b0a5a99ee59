package io.urma4j.spi;

/** A range that this home has granted to the bound peer of an RC Jetty that is no urma4j (S7.16). No call waits. */
public interface ProviderRoceGrant {
    int rkey();

    /** The address of the first byte in the peer's work requests. */
    long address();

    /** Revokes the range: an operation that has not started moves no byte. Idempotent. */
    void takeBack();

    /** The range is revoked, and no earlier operation on it is in progress. */
    boolean isQuiet();
}
