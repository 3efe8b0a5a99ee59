package io.urma4j.peer;

/**
 * One registration, as its client sees it. The registry alone calls these methods, each at most once except {@link #dmaMap}
 * and {@link #dmaUnmap} (once per device), in this order: {@code getPages, dmaMap, …, dmaUnmap, putPages, release}. A {@link
 * ClientStyle#DYNAMIC} client sees several rounds of the calls before {@code release}.
 *
 * <p>From {@link #getPages} on, the client may call the invalidator at any time and on any thread. It must not hold a lock
 * meanwhile that one of these methods takes, except {@link #dmaUnmap} and {@link #putPages} after a deregistration, which
 * never wait for an invalidation.
 */
public interface PeerAcquisition {
    /** Identifies the allocation: what it answers must stay the same until {@link #release}. */
    DeviceIdentity identity();

    /**
     * Pins the pages of the range.
     *
     * @param writable whether peers may write them
     * @param ticket to name in {@link Invalidator#invalidate}
     * @throws io.urma4j.UrmaException EAGAIN if a window of the device is exhausted, and would not be after other
     *     registrations have ended
     */
    PinnedPages getPages(boolean writable, Ticket ticket, Invalidator invalidator);

    /** Maps the pages for a device that will access them. After a failure nothing is mapped for it. */
    DmaMapping dmaMap(PinnedPages pages, DmaDevice device);

    /** Ends a mapping of {@link #dmaMap}; a mapping of another acquisition is refused. */
    void dmaUnmap(DmaMapping mapping);

    /** Unpins the pages. */
    void putPages(PinnedPages pages);

    /** Ends the registration. May run concurrently with an invalidation. */
    void release();
}
