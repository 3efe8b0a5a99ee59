package io.urma4j.peer;

/** What a client does when pages go away, and what it leaves to the registry. */
public enum ClientStyle {
    /** Calls {@link Invalidator#invalidate}; the registry unmaps and puts the pages before that call returns. */
    LEGACY,
    /** Calls {@link Invalidator#invalidate}, and then unmaps and puts the pages itself ({@code PEER_MEM_INVALIDATE_UNMAPS}). */
    UNMAPS,
    /**
     * Never calls back: its pages stay pinned until they are put. {@link DeviceMemory} refuses to free registered memory
     * instead, or revokes the registrations first.
     */
    PERSISTENT,
    /**
     * Calls {@link Invalidator#invalidate} also when pages move ({@link InvalidationReason#REMAPPED}); the registry unmaps and
     * puts them, and the next operation pins and maps them anew. Stands in place of on-demand paging.
     */
    DYNAMIC;

    /** Whether memory of this client can be freed under a registration. */
    public boolean invalidates() {
        return this != PERSISTENT;
    }
}
