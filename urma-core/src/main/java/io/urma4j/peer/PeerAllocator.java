package io.urma4j.peer;

/** Allocates memory of a client's devices. Safe for any thread. */
public interface PeerAllocator {
    /** Allocations are multiples of this, and aligned to it. */
    long granularityBytes();

    /**
     * Allocates at least {@code lengthBytes} bytes.
     *
     * @return their device address
     * @throws io.urma4j.UrmaException ENOMEM, with the bytes that are left
     */
    long allocate(int ordinal, long lengthBytes);

    /**
     * Frees an allocation by its address. A client that can invalidate does so before the bytes are reused.
     *
     * @throws io.urma4j.UrmaException EAGAIN if its pages are pinned: nothing was freed, and the call may be repeated
     */
    void free(int ordinal, long address);
}
