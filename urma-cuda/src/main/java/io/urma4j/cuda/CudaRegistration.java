package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceIdentity;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaDevice;
import io.urma4j.peer.DmaMapping;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.Invalidator;
import io.urma4j.peer.PeerAcquisition;
import io.urma4j.peer.PinnedPages;
import io.urma4j.peer.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * One registration. A process cannot pin pages of a GPU: it can make the allocation safe for peers, and know when it is another
 * one. Pages of 64 KiB are those that a network card's driver would pin, and count only. Safe for any thread.
 */
final class CudaRegistration implements PeerAcquisition {
    static final long PAGE_BYTES = 64 << 10;

    private final CudaDevice device;
    private final DeviceRange range;
    private final DeviceIdentity identity;
    private final Runnable atRelease;

    private @Nullable Ticket ticket; // both guarded by this
    private @Nullable Invalidator invalidator;

    CudaRegistration(CudaDevice device, DeviceRange range, long bufferId) {
        this(device, range, bufferId, () -> {});
    }

    /** @param atRelease what ends with the registration */
    CudaRegistration(CudaDevice device, DeviceRange range, long bufferId, Runnable atRelease) {
        this.device = device;
        this.range = range;
        this.identity = new DeviceIdentity(device.ordinal(), bufferId);
        this.atRelease = atRelease;
    }

    DeviceRange range() {
        return range;
    }

    @Override
    public DeviceIdentity identity() {
        return identity;
    }

    @Override
    public PinnedPages getPages(boolean writable, Ticket ticket, Invalidator invalidator) {
        synchronized (this) {
            this.ticket = ticket;
            this.invalidator = invalidator;
        }
        device.memory().pin(this, range);
        DeviceRange pages = range.toPages(PAGE_BYTES);
        long[] addresses = new long[(int) (pages.lengthBytes() / PAGE_BYTES)];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = pages.address() + i * PAGE_BYTES; // the driver does not disclose physical ones
        }
        return new PinnedPages(PinnedPages.BUILT_FOR, pages, PAGE_BYTES, addresses);
    }

    /** Bytes move by the copy engine: only the kernel can map pages of a GPU for another device. */
    @Override
    public DmaMapping dmaMap(PinnedPages pages, DmaDevice nic) {
        throw new UrmaException(
                UrmaStatus.EINVAL,
                device,
                "has no bus addresses for " + nic.name() + ": a process without a driver of that card cannot map them");
    }

    @Override
    public void dmaUnmap(DmaMapping mapping) {
        throw new UrmaException(UrmaStatus.EINVAL, device, "has made no such mapping: " + mapping);
    }

    @Override
    public void putPages(PinnedPages pages) {
        device.memory().unpin(this);
    }

    @Override
    public void release() {
        device.memory().unpin(this);
        atRelease.run();
    }

    /** The device is lost. */
    void invalidate(InvalidationReason reason) {
        Ticket to;
        Invalidator registry;
        synchronized (this) {
            to = ticket;
            registry = invalidator;
        }
        if (to != null && registry != null) {
            registry.invalidate(to, reason);
        }
    }

    @Override
    public String toString() {
        return "registration of " + range + " of " + device;
    }
}
