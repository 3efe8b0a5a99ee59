package io.urma4j.peer;

/** Bus addresses of pinned pages, for one device. Entries follow each other in the order of the device addresses. */
public final class DmaMapping {
    /** The version that the registry was built for: that of {@code nvidia_p2p_dma_mapping}. */
    public static final ClientVersion BUILT_FOR = new ClientVersion(2, 3);

    private final ClientVersion version;
    private final DmaDevice device;
    private final long[] busAddresses;
    private final long[] lengthsBytes;

    /**
     * A mapping.
     *
     * @param version of this table, as the client's driver reports it
     * @param device that may use these addresses
     * @param busAddresses start of each entry, page-aligned
     * @param lengthsBytes of each entry; together they are as long as the pages
     */
    public DmaMapping(ClientVersion version, DmaDevice device, long[] busAddresses, long[] lengthsBytes) {
        this.version = version;
        this.device = device;
        this.busAddresses = busAddresses.clone();
        this.lengthsBytes = lengthsBytes.clone();
    }

    public ClientVersion version() {
        return version;
    }

    public DmaDevice device() {
        return device;
    }

    /** Start of each entry. */
    public long[] busAddresses() {
        return busAddresses.clone();
    }

    public long[] lengthsBytes() {
        return lengthsBytes.clone();
    }

    /** The bus address of a byte, by its offset in the pinned pages. */
    public long busAddress(long offset) {
        long start = 0;
        for (int i = 0; i < busAddresses.length; i++) {
            if (offset < start + lengthsBytes[i]) {
                return busAddresses[i] + offset - start;
            }
            start += lengthsBytes[i];
        }
        throw new IndexOutOfBoundsException("offset " + offset + " of a mapping of " + start + " bytes");
    }

    @Override
    public String toString() {
        return "mapping for " + device.name() + " of " + busAddresses.length + " entries";
    }
}
