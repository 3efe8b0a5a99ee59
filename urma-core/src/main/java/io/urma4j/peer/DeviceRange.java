package io.urma4j.peer;

import io.urma4j.internal.Checks;

/**
 * A range of a device's address space; never empty, and never beyond its end.
 *
 * @param ordinal of the device, or {@link #ANY}
 * @param address of the first byte, unsigned
 * @param lengthBytes at least 1
 */
public record DeviceRange(int ordinal, long address, long lengthBytes) {
    /** The ordinal of a range whose owner must find the device. */
    public static final int ANY = -1;

    public DeviceRange {
        Checks.inRange("device range", "ordinal", ordinal, ANY, 1023);
        Checks.inRange("device range", "length", lengthBytes, 1, Long.MAX_VALUE);
        if (Long.compareUnsigned(address, -lengthBytes) > 0) {
            throw Checks.invalid(
                    "device range",
                    "address 0x" + Long.toHexString(address) + " + length " + lengthBytes
                            + " exceeds the address space");
        }
    }

    /** Whether every byte of {@code other} lies in this range; ordinals are not compared. */
    public boolean contains(DeviceRange other) {
        long offset = other.address - address;
        return Long.compareUnsigned(offset, lengthBytes) < 0 && other.lengthBytes <= lengthBytes - offset;
    }

    /** Whether some byte lies in both ranges; ordinals are not compared. */
    public boolean overlaps(DeviceRange other) {
        return Long.compareUnsigned(other.address - address, lengthBytes) < 0
                || Long.compareUnsigned(address - other.address, other.lengthBytes) < 0;
    }

    /** The smallest range of whole pages around this one. */
    public DeviceRange toPages(long pageBytes) {
        long from = address & -pageBytes;
        long end = (address + lengthBytes - 1) | (pageBytes - 1);
        return new DeviceRange(ordinal, from, end - from + 1);
    }

    @Override
    public String toString() {
        return "0x" + Long.toHexString(address) + " + " + lengthBytes;
    }
}
