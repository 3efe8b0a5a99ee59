package io.urma4j;

/**
 * Unified Bus virtual address: the global address of a byte.
 *
 * @param uasid the address space, 24 bits
 * @param address the virtual address in it
 */
public record Ubva(Eid eid, int uasid, long address) {
    @Override
    public String toString() {
        return eid + "/" + uasid + "/0x" + Long.toHexString(address);
    }
}
