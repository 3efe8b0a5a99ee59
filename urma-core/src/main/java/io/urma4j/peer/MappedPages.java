package io.urma4j.peer;

import io.urma4j.internal.Checks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one acquisition, pinned and mapped for each device. A client's tables are checked before anything uses them.
 * One thread at a time: the one that performs a transition of the {@link PeerRegion}.
 */
final class MappedPages {
    private final ClientEntry client;
    private final PeerAcquisition acquisition;
    private final DeviceRange range;
    private final List<DmaDevice> devices;

    private volatile @Nullable PinnedPages pages; // any thread reads it
    private final List<DmaMapping> mappings = new ArrayList<>();

    MappedPages(ClientEntry client, PeerAcquisition acquisition, DeviceRange range, List<DmaDevice> devices) {
        this.client = client;
        this.acquisition = acquisition;
        this.range = range;
        this.devices = devices;
    }

    /** Pins the pages; {@link #unmapAndPut} undoes it, also after a failure. */
    void pin(boolean writable, Ticket ticket, Invalidator invalidator) {
        PinnedPages pinned = acquisition.getPages(writable, ticket, invalidator);
        pages = pinned;
        client.stats().pinned(pinned);
        check(pinned);
    }

    private void check(PinnedPages pinned) {
        long pageBytes = pinned.pageBytes();
        if (Long.bitCount(pageBytes) != 1 || pageBytes < PinnedPages.MIN_PAGE_BYTES) {
            throw wrong("a page size of " + pageBytes + ", which is no power of two from " + PinnedPages.MIN_PAGE_BYTES
                    + " on");
        }
        if (!pinned.version().isCompatibleWith(PinnedPages.BUILT_FOR)) {
            throw wrong("a page table of version " + pinned.version() + "; this is built for " + PinnedPages.BUILT_FOR);
        }
        DeviceRange whole = range.toPages(pageBytes);
        if (pinned.range().address() != whole.address() || pinned.range().lengthBytes() != whole.lengthBytes()) {
            throw wrong("pages " + pinned.range() + " for " + range + ", which takes " + whole);
        }
        if (pinned.count() != whole.lengthBytes() / pageBytes) {
            throw wrong(pinned.count() + " pages for " + whole + " of " + pageBytes + " bytes each");
        }
    }

    /** Maps the pinned pages for each device. */
    void map() {
        PinnedPages pinned = pinned();
        for (DmaDevice device : devices) {
            DmaMapping mapping = acquisition.dmaMap(pinned, device);
            mappings.add(mapping);
            check(pinned, device, mapping);
        }
    }

    private void check(PinnedPages pinned, DmaDevice device, DmaMapping mapping) {
        if (!mapping.version().isCompatibleWith(DmaMapping.BUILT_FOR)) {
            throw wrong(
                    "a DMA mapping of version " + mapping.version() + "; this is built for " + DmaMapping.BUILT_FOR);
        }
        if (!mapping.device().equals(device)) {
            throw wrong("a mapping for " + mapping.device().name() + " in place of " + device.name());
        }
        long[] addresses = mapping.busAddresses();
        long[] lengths = mapping.lengthsBytes();
        if (addresses.length != lengths.length) {
            throw wrong(addresses.length + " bus addresses with " + lengths.length + " lengths");
        }
        long left = pinned.range().lengthBytes();
        for (int i = 0; i < lengths.length; i++) {
            long mask = PinnedPages.MIN_PAGE_BYTES - 1;
            if (((addresses[i] | lengths[i]) & mask) != 0 || lengths[i] <= 0 || lengths[i] > left) {
                throw wrong("bus address 0x" + Long.toHexString(addresses[i]) + " + " + lengths[i]
                        + ", which is no part of " + left + " bytes in pages");
            }
            if (device.addressBits() < 64 && (addresses[i] + lengths[i] - 1) >>> device.addressBits() != 0) {
                throw wrong("bus address 0x" + Long.toHexString(addresses[i]) + ", beyond the " + device.addressBits()
                        + " bits of " + device.name());
            }
            left -= lengths[i];
        }
        if (left != 0) {
            throw wrong("a mapping that lacks " + left + " of " + pinned.range().lengthBytes() + " bytes");
        }
    }

    /** The bus address of a byte of the range, for one of its devices. */
    long busAddress(DmaDevice device, long offset) {
        Checks.range(this, offset, 1, range.lengthBytes());
        for (DmaMapping mapping : mappings) {
            if (mapping.device().equals(device)) {
                return mapping.busAddress(
                        offset + range.address() - pinned().range().address());
            }
        }
        throw Checks.invalid(this, "is not mapped for " + device.name());
    }

    /** Undoes {@link #map} and {@link #pin}, as far as they went. A failure of the client is counted, and the rest goes on. */
    void unmapAndPut() {
        for (DmaMapping mapping : mappings.reversed()) {
            client.guard("dmaUnmap", () -> acquisition.dmaUnmap(mapping));
        }
        mappings.clear();
        PinnedPages pinned = pages;
        if (pinned != null) {
            try {
                client.guard("putPages", () -> acquisition.putPages(pinned));
            } finally {
                forget(); // last: until then the memory must not be freed
            }
        }
    }

    /** The client has unmapped and put them itself. */
    void forget() {
        mappings.clear();
        PinnedPages pinned = pages;
        if (pinned != null) {
            client.stats().put(pinned);
            pages = null;
        }
    }

    /** Whether the client has pages pinned. Any thread. */
    boolean isPinned() {
        return pages != null;
    }

    private PinnedPages pinned() {
        PinnedPages pinned = pages;
        if (pinned == null) {
            throw Checks.invalid(this, "is not pinned");
        }
        return pinned;
    }

    private RuntimeException wrong(String what) {
        client.stats().failures.increment();
        return Checks.invalid(client, "reported " + what);
    }

    @Override
    public String toString() {
        return "memory " + range + " of " + client;
    }
}
