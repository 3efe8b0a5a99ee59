package io.urma4j.buffer;

import java.time.Duration;

/**
 * A snapshot of a {@link RegisteredBufferPool}.
 *
 * @param maxBytes hard limit of registered bytes, with the reserve
 * @param registeredBytes of all slabs, also of those that are being registered
 * @param idleBytes of blocks without a lease; equal to the registered bytes if no lease is out (S14.10)
 * @param slabs registered now
 * @param leases blocks that are leased, granted, held by operations after their lease, or quarantined
 * @param waiters requests in the queue
 * @param largestWaitBytes bytes of the largest request in the queue
 * @param oldestWait for how long the oldest request has been in the queue
 * @param slabsMade slabs registered so far
 * @param slabsFreed slabs freed so far
 * @param waits requests that did not get their memory at once
 * @param refusals slabs that a device refused
 * @param quarantined blocks whose lease is over, and of which a peer still uses a window (S14.18)
 * @param quarantinedBytes of these blocks
 */
public record PoolStats(
        long maxBytes,
        long registeredBytes,
        long idleBytes,
        int slabs,
        long leases,
        int waiters,
        long largestWaitBytes,
        Duration oldestWait,
        long slabsMade,
        long slabsFreed,
        long waits,
        long refusals,
        int quarantined,
        long quarantinedBytes) {

    /** Registered bytes that are not idle: blocks in use, and slabs that are being registered or freed. */
    public long leasedBytes() {
        return registeredBytes - idleBytes;
    }

    @Override
    public String toString() {
        return leases + " leases of " + leasedBytes() + " bytes, " + idleBytes + " bytes idle, " + registeredBytes
                + " of "
                + maxBytes + " bytes registered in " + slabs + " slabs, " + waiters + " waiters, the largest for "
                + largestWaitBytes + " bytes" + (quarantined == 0 ? "" : ", " + quarantined + " quarantined");
    }
}
