package io.urma4j.peer;

/** The pages of a range, which stay where they are until they are put. */
public final class PinnedPages {
    /** The smallest page that a device can map. */
    public static final long MIN_PAGE_BYTES = 4096;

    /** The version that the registry was built for. */
    public static final ClientVersion BUILT_FOR = new ClientVersion(2, 0);

    private final ClientVersion version;
    private final DeviceRange range;
    private final long pageBytes;
    private final long[] physicalAddresses;

    /**
     * A page table.
     *
     * @param version of this table, as the client's driver reports it
     * @param range of whole pages around the registered range
     * @param pageBytes a power of two, at least {@link #MIN_PAGE_BYTES}
     * @param physicalAddresses of each page, as the device counts; in the order of their device addresses
     */
    public PinnedPages(ClientVersion version, DeviceRange range, long pageBytes, long[] physicalAddresses) {
        this.version = version;
        this.range = range;
        this.pageBytes = pageBytes;
        this.physicalAddresses = physicalAddresses.clone();
    }

    public ClientVersion version() {
        return version;
    }

    public DeviceRange range() {
        return range;
    }

    public long pageBytes() {
        return pageBytes;
    }

    public int count() {
        return physicalAddresses.length;
    }

    /** The physical address of a page. */
    public long physicalAddress(int page) {
        return physicalAddresses[page];
    }

    @Override
    public String toString() {
        return count() + " pages of " + pageBytes + " bytes, " + range;
    }
}
