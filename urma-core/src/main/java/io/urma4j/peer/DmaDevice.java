package io.urma4j.peer;

/**
 * A device that will access pinned pages by bus addresses, such as a network card. A software device needs none: a copy engine
 * moves its bytes.
 *
 * @param name unique per host, for example {@code udma0}
 * @param addressBits how many bits of a bus address it can drive
 * @param domain of the IOMMU that translates its accesses; {@link #UNTRANSLATED} if none does
 * @param pci whether it is a PCI device, which alone some drivers can map for
 */
public record DmaDevice(String name, int addressBits, int domain, boolean pci) {
    /** The domain of a device that no IOMMU translates for. */
    public static final int UNTRANSLATED = -1;
}
