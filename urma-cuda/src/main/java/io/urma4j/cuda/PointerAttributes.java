package io.urma4j.cuda;

/**
 * What the driver knows about an address ({@code cuPointerGetAttributes}).
 *
 * @param context that allocated it; 0 for memory of a stream-ordered pool, or mapped by the virtual memory API
 * @param memoryType {@link #HOST}, {@link #DEVICE}, or another {@code CUmemorytype}
 * @param bufferId unique for the life of the process: an allocation at a reused address has another one
 * @param managed whether it is unified memory, whose pages move between host and devices
 * @param ordinal of its device
 * @param base the start of the allocation
 * @param lengthBytes of the allocation
 * @param rdmaCapable whether a network card could reach it
 */
public record PointerAttributes(
        long context,
        int memoryType,
        long bufferId,
        boolean managed,
        int ordinal,
        long base,
        long lengthBytes,
        boolean rdmaCapable) {
    /** Memory of the host that the driver has pinned. */
    public static final int HOST = 1;

    /** Memory of a device. */
    public static final int DEVICE = 2;
}
