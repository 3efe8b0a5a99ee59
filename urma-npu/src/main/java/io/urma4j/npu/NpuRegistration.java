package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.npu.NpuFrames.Frame;
import io.urma4j.peer.ClientStyle;
import io.urma4j.peer.DeviceIdentity;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaDevice;
import io.urma4j.peer.DmaMapping;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.Invalidator;
import io.urma4j.peer.PeerAcquisition;
import io.urma4j.peer.PinnedPages;
import io.urma4j.peer.Ticket;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One registration, as the simulated driver sees it. Safe for any thread. */
final class NpuRegistration implements PeerAcquisition {
    private final SimulatedNpus npus;
    private final NpuDevice device;
    private final NpuAllocation allocation;
    private final DeviceRange range;
    private final int number;

    private final Map<DmaMapping, DmaDevice> mappings = new LinkedHashMap<>(); // all guarded by this
    private Frame @Nullable [] pinned;
    private @Nullable Ticket ticket;
    private @Nullable Invalidator invalidator;
    private boolean hasMapped;
    private @Nullable Thread callback; // that runs it
    private boolean calledBack;

    NpuRegistration(SimulatedNpus npus, NpuDevice device, NpuAllocation allocation, DeviceRange range, int number) {
        this.npus = npus;
        this.device = device;
        this.allocation = allocation;
        this.range = range;
        this.number = number;
    }

    @Override
    public DeviceIdentity identity() {
        return new DeviceIdentity(range.ordinal(), allocation.bufferId);
    }

    @Override
    public PinnedPages getPages(boolean writable, Ticket ticket, Invalidator invalidator) {
        npus.note("getPages", number);
        synchronized (this) {
            this.ticket = ticket;
            this.invalidator = invalidator;
            this.hasMapped = false;
        }
        int pageBytes = npus.config().pageBytes();
        if (npus.config().profile().isNvidia() && pageBytes != NpuProfile.NVIDIA.pageBytes()) {
            throw new UrmaException(UrmaStatus.EINVAL, device, "has pages of " + pageBytes + " bytes, not of 64 KiB");
        }
        DeviceRange pages = range.toPages(pageBytes);
        Frame[] taken = device.pin(allocation, pages, this);
        synchronized (this) {
            pinned = taken;
        }
        long[] physical = Arrays.stream(taken).mapToLong(Frame::physical).toArray();
        return new PinnedPages(PinnedPages.BUILT_FOR, pages, pageBytes, physical);
    }

    @Override
    public DmaMapping dmaMap(PinnedPages pages, DmaDevice nic) {
        npus.note("dmaMap", number);
        if (npus.config().profile().isNvidia() && !nic.pci()) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, device, "maps for PCI devices alone, and " + nic.name() + " is none");
        }
        Frame[] frames;
        synchronized (this) {
            if (pinned == null) {
                throw new UrmaException(UrmaStatus.EINVAL, device, "registration " + number + " has no pages to map");
            }
            frames = pinned;
        }
        long[] bus = new long[frames.length];
        int mapped = 0;
        try {
            for (; mapped < frames.length; mapped++) {
                npus.faults().before("mapPage");
                bus[mapped] =
                        isTranslated(nic) ? npus.iommu().map(nic.domain(), frames[mapped]) : frames[mapped].physical();
            }
        } catch (RuntimeException e) {
            unmap(nic, Arrays.copyOf(bus, mapped));
            throw e;
        }
        long[] lengths = new long[bus.length];
        Arrays.fill(lengths, pages.pageBytes());
        DmaMapping mapping = new DmaMapping(DmaMapping.BUILT_FOR, nic, bus, lengths);
        synchronized (this) {
            mappings.put(mapping, nic);
            hasMapped = true;
        }
        return mapping;
    }

    /** AMD's client takes addresses as they come. */
    private boolean isTranslated(DmaDevice nic) {
        return nic.domain() != DmaDevice.UNTRANSLATED && npus.config().profile() != NpuProfile.AMD;
    }

    @Override
    public void dmaUnmap(DmaMapping mapping) {
        npus.note("dmaUnmap", number);
        DmaDevice nic;
        synchronized (this) {
            nic = mappings.remove(mapping);
            if (nic == null && calledBack && unmapsItself()) {
                return; // the free callback came first, and did it
            }
        }
        if (nic == null) {
            throw npus.violation("dmaUnmap of a mapping that registration " + number + " does not have");
        }
        unmap(nic, mapping.busAddresses());
    }

    private void unmap(DmaDevice nic, long[] bus) {
        if (isTranslated(nic)) {
            for (long address : bus) {
                if (!npus.iommu().unmap(address)) {
                    npus.violation("bus address 0x" + Long.toHexString(address) + " was unmapped twice");
                }
            }
        }
    }

    @Override
    public void putPages(PinnedPages pages) {
        npus.note("putPages", number);
        synchronized (this) {
            if (Thread.currentThread().equals(callback) && unmapsItself()) {
                throw npus.violation(
                        "putPages within the free callback of registration " + number + ", which deadlocks");
            }
        }
        put("putPages");
    }

    private boolean unmapsItself() {
        return npus.config().profile().style() == ClientStyle.UNMAPS;
    }

    private void put(String call) {
        Frame[] frames;
        synchronized (this) {
            frames = pinned;
            pinned = null;
            if (frames == null && calledBack && unmapsItself()) {
                return; // the free callback came first, and did it
            }
            if (!mappings.isEmpty()) {
                npus.violation(call + " of registration " + number + " with " + mappings.size() + " mappings");
            }
        }
        if (frames == null) {
            throw npus.violation(call + " of registration " + number + ", which has no pages");
        }
        device.unpin(allocation, frames, this);
    }

    @Override
    public void release() {
        npus.note("release", number);
        synchronized (this) {
            if (pinned == null || (calledBack && unmapsItself())) {
                return; // the free callback that is still running puts them
            }
        }
        npus.violation("release of registration " + number + " with pinned pages");
        put("release");
    }

    /** The driver's free callback. */
    void invalidate(InvalidationReason reason) {
        Ticket to;
        Invalidator registry;
        synchronized (this) {
            if (ticket == null || invalidator == null || !calls()) {
                return;
            }
            to = ticket;
            registry = invalidator;
            callback = Thread.currentThread();
            calledBack = true;
        }
        npus.note("invalidate", number);
        try {
            registry.invalidate(to, reason);
        } finally {
            synchronized (this) {
                callback = null;
            }
        }
        if (unmapsItself()) {
            unmapAndPut();
        }
    }

    private boolean calls() {
        return switch (npus.config().profile()) {
            case NVIDIA_PERSISTENT, DMABUF_PINNED -> false;
            case FAULTY -> hasMapped; // a callback between pin and map finds no mapping, and is dropped
            case PLAIN, NVIDIA, AMD, ASCEND, DMABUF -> true;
        };
    }

    private void unmapAndPut() {
        Map<DmaMapping, DmaDevice> all;
        Frame[] frames;
        synchronized (this) {
            all = new LinkedHashMap<>(mappings);
            mappings.clear();
            frames = pinned;
            pinned = null;
        }
        all.forEach((mapping, nic) -> unmap(nic, mapping.busAddresses()));
        if (frames != null) { // else a deregistration came first
            device.unpin(allocation, frames, this);
        }
    }

    @Override
    public String toString() {
        return "registration " + number + " of " + range;
    }
}
