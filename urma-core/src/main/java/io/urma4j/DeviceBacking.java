package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionEnd;
import io.urma4j.peer.RegionUser;
import io.urma4j.spi.ProviderSegment;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The pinned device memory of a {@link LocalSegment}. Its client may take the memory away at any time: then every operation that
 * names the segment fails, and the context gets {@link AsyncEvent.Type#MEM_INVALIDATED}.
 */
final class DeviceBacking implements RegionUser {
    private static final System.Logger LOG = System.getLogger(DeviceBacking.class.getName());

    private final DeviceMemory memory;
    private final PeerRegion region;
    private final AsyncEvents events;
    private Object segment = this; // all are set before the activation, and the region publishes them
    private BooleanSupplier isOpen = () -> false;
    private @Nullable ProviderSegment exported;

    private DeviceBacking(DeviceMemory memory, PeerRegion region, AsyncEvents events) {
        this.memory = memory;
        this.region = region;
        this.events = events;
    }

    /**
     * Pins all of {@code memory}.
     *
     * @throws UrmaException EINVAL if its device cannot copy every range of bytes
     */
    static DeviceBacking pin(DeviceMemory memory, AsyncEvents events) {
        PeerRegion region = memory.pin(true, List.of()); // no device accesses it by itself: the copy engine moves bytes
        long alignment = region.engine().alignmentBytes();
        if (alignment != 1) {
            region.close();
            throw Checks.invalid(
                    memory, "cannot be registered: its device copies multiples of " + alignment + " bytes alone");
        }
        return new DeviceBacking(memory, region, events);
    }

    PeerRegion region() {
        return region;
    }

    /**
     * Lets operations begin.
     *
     * @param made the segment, for events
     * @param key what the provider has made
     * @throws UrmaException EINVAL if the memory was invalidated meanwhile
     */
    void activate(Object made, ProviderSegment key, BooleanSupplier isMadeOpen) {
        segment = made;
        isOpen = isMadeOpen;
        exported = key;
        region.activate(this);
    }

    /**
     * Unpins it, on a thread of its own. Where the device or its client does not answer, the thread goes on until it does.
     *
     * @return the result of the revocation before it; ETIMEOUT if there is no answer in time
     */
    CompletableFuture<Revocation> release(Revocation before) {
        return RegionEnd.of(region).thenApply(_ -> before);
    }

    /**
     * Unpins it: the registration has failed.
     *
     * @return completes once it is unpinned, or has no answer in time; never fails
     */
    CompletableFuture<Void> abandon() {
        return RegionEnd.of(region).exceptionally(e -> {
            LOG.log(Level.WARNING, "{0} stays pinned after a failed registration: {1}", memory, e.getMessage());
            return null;
        });
    }

    /** The region itself refuses copies from now on; importers are notified. */
    @Override
    public void revoke(InvalidationReason reason) {
        ProviderSegment known = exported;
        if (known != null) {
            known.memoryLost();
        }
    }

    @Override
    public void invalidated(InvalidationReason reason) {
        if (isOpen.getAsBoolean()) {
            events.raise(new AsyncEvent(AsyncEvent.Type.MEM_INVALIDATED, segment, memory + ": " + reason));
        }
    }

    /** Device and address, for display. */
    String place() {
        return memory.client() + ":" + memory.ordinal() + " 0x" + Long.toHexString(memory.address());
    }

    @Override
    public String holder() {
        return segment.toString();
    }

    @Override
    public String toString() {
        return memory.toString();
    }
}
