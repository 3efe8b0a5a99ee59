package io.urma4j.peer;

import java.util.List;
import java.util.Optional;

/**
 * The owner of the addresses of a device family: what the Linux kernel calls a peer memory client.
 *
 * <p>The registry calls {@link #acquire} on a thread of its own, one call at a time per client, and gives each call {@link
 * PeerMemoryRegistry#CALL_TIMEOUT}. An exception ends the registration in progress, never the registry. All other methods
 * may be called by any thread.
 */
public interface PeerMemoryClient extends AutoCloseable {
    /** Unique in a registry: 1 to 63 printable ASCII characters. */
    String name();

    ClientVersion version();

    ClientStyle style();

    /** The devices of this family, by ordinal. */
    List<PeerDevice> devices();

    /**
     * Says whether the <em>whole</em> range is its own; pins nothing. A range that lies half in an allocation of this client, or over
     * two, is not its own; a client that owns all addresses around it may refuse it with that reason.
     */
    Ownership acquire(DeviceRange range);

    /** How bytes move to and from a device. */
    DmaEngine engine(int ordinal);

    /** Allocates memory whose free the registry can guard; empty if this client knows foreign pointers alone. */
    default Optional<PeerAllocator> allocator() {
        return Optional.empty();
    }

    /** Shares memory of that allocator with other processes of this host; empty if the devices cannot. */
    default Optional<PeerSharing> sharing() {
        return Optional.empty();
    }

    /** Called once the last registration has ended, and no call is in progress. Idempotent. */
    @Override
    default void close() {}
}
