package io.urma4j.peer;

/** The keys that a provider has made for a region. Called without locks of the registry. */
public interface RegionUser {
    /**
     * Revokes every key at once, and waits for nothing: an operation that arrives afterwards fails. Copies in progress are
     * aborted by the registry.
     */
    void revoke(InvalidationReason reason);

    /** The pages are gone; queues the application's event. */
    void invalidated(InvalidationReason reason);

    /** What holds the region, for display; returns at once. */
    default String holder() {
        return toString();
    }
}
