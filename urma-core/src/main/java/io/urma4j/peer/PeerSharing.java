package io.urma4j.peer;

/**
 * Shares allocations of a client's own allocator with other processes of this host: what drivers call inter-process communication.
 * Another process whose client has the same name opens a handle, and its device then copies from and to the same bytes.
 *
 * <p>A handle comes from a peer, so its bytes may be anything. What was opened is neither registered nor shared again by {@link
 * PeerMemoryClient#acquire}, which refuses it. The calls may block. Safe for any thread.
 */
public interface PeerSharing {
    /** Limit of the length of a handle. */
    int MAX_HANDLE_BYTES = 256;

    /**
     * Makes an allocation openable.
     *
     * @param address of its first byte
     * @throws io.urma4j.UrmaException EINVAL if no allocation of the allocator begins there
     */
    Shared share(int ordinal, long address);

    /**
     * Opens the allocation of a handle.
     *
     * @param lengthBytes that are registered, from its first byte on
     * @throws io.urma4j.UrmaException EINVAL if it is no handle of this client, or its memory was freed, or has fewer bytes, or
     *     lies on a device that this process does not have; ENOMEM if there is no room for it
     */
    Opened open(byte[] handle, long lengthBytes);

    /** An allocation that peers may open. Ends when it is closed: no peer has it open any more, nor will open it. */
    interface Shared extends AutoCloseable {
        /** 1 to {@link #MAX_HANDLE_BYTES} bytes. */
        byte[] handle();

        @Override
        void close();
    }

    /**
     * Memory of another process.
     *
     * @param range at its address here
     * @param acquisition registers that range; its release ends what was opened
     */
    record Opened(DeviceRange range, PeerAcquisition acquisition) {}
}
