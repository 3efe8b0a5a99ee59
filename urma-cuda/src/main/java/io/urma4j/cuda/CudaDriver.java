package io.urma4j.cuda;

import java.util.Optional;

/**
 * The CUDA driver API, as far as this module calls it. A context, stream or event is its pointer as a number, and so is an
 * address of the host.
 *
 * <p>The current context belongs to the OS thread of a call. Methods that say so need one; without, they fail with {@code
 * CUDA_ERROR_INVALID_CONTEXT} (201). Virtual threads call none of them.
 *
 * <p>Each method throws {@link CudaException} for a result other than success; after a sticky one (214, 700, 709, 719, 999)
 * every later call that needs the context fails likewise. Safe for any thread.
 */
public interface CudaDriver {
    /** {@link #createStream}: copies do not wait for those of the default stream. */
    int STREAM_NON_BLOCKING = 1;

    /** {@link #createEvent}: without a time stamp, which makes a query cheap. */
    int EVENT_DISABLE_TIMING = 2;

    /** {@link #registerHost}: pinned for all contexts. */
    int HOST_PORTABLE = 1;

    /** {@link #registerHost}: devices can access it by an address. */
    int HOST_DEVICEMAP = 2;

    /** {@link #openIpcHandle}: enables access between devices where it is needed. */
    int IPC_LAZY_ENABLE_PEER_ACCESS = 1;

    /** {@link #flushWrites}: visible to the device that owns the memory. */
    int FLUSH_TO_OWNER = 100;

    /** Length of the handle of {@link #ipcHandle}. */
    int IPC_HANDLE_BYTES = 64;

    /** {@link #attribute}: bit 0 tells whether the host can call {@link #flushWrites}. */
    int ATTRIBUTE_FLUSH_WRITES_OPTIONS = 117;

    /** {@link #attribute}: from {@link #FLUSH_TO_OWNER} on, writes of network cards need no flush for the owner. */
    int ATTRIBUTE_WRITES_ORDERING = 118;

    /** {@link #attribute}: whether {@link #dmaBuf} works. */
    int ATTRIBUTE_DMA_BUF_SUPPORTED = 124;

    /** The CUDA version that the driver supports: 1000 × major + 10 × minor. */
    int version();

    int deviceCount();

    CudaDeviceInfo device(int ordinal);

    /** A {@code CUdevice_attribute}; INVALID_VALUE if the driver does not know it. */
    int attribute(int ordinal, int attribute);

    /** Retains the context that all libraries of the process share, and creates it if there is none. */
    long retainPrimaryContext(int ordinal);

    void releasePrimaryContext(int ordinal);

    /** Makes a context the current one of this OS thread; 0 for none. */
    void setCurrentContext(long context);

    /** The current context of this OS thread; 0 if there is none. */
    long currentContext();

    /** Allocates memory of the current context's device. */
    long allocate(long lengthBytes);

    /** Frees memory by its start. May wait for all copies of the device. Needs a current context. */
    void free(long address);

    /** Free memory of the current context's device, in bytes. */
    long freeBytes();

    /** The allocation that an address lies in. Needs a current context. */
    AddressRange addressRange(long address);

    /** An allocation: its start and length. */
    record AddressRange(long base, long lengthBytes) {}

    /** What the driver knows about an address; empty if it does not know the address. */
    Optional<PointerAttributes> pointerAttributes(long address);

    /** Makes synchronous operations on an allocation synchronous for peers, too. Needs a current context. */
    void setSyncMemops(long address);

    /** Pins host memory. Fails with 712 if a part of it is pinned. Needs a current context. */
    void registerHost(long address, long lengthBytes, int flags);

    /** Ends {@link #registerHost}; fails with 713 if nothing was registered there. Needs a current context. */
    void unregisterHost(long address);

    /** Copies host memory to the device, in the order of the stream. Returns before the end if the memory is pinned. */
    void copyIn(long address, long host, long lengthBytes, long stream);

    /** Copies device memory to the host, in the order of the stream. */
    void copyOut(long host, long address, long lengthBytes, long stream);

    /** Copies between device addresses, in the order of the stream. */
    void copyWithin(long to, long from, long lengthBytes, long stream);

    /** Fills device memory with a byte, in the order of the stream. */
    void fill(long address, byte value, long lengthBytes, long stream);

    long createStream(int flags);

    /** Waits for the end of everything in the stream. */
    void synchronizeStream(long stream);

    /** Whether everything in the stream has ended; true for one that was never used. */
    boolean isStreamDone(long stream);

    void destroyStream(long stream);

    long createEvent(int flags);

    /** Puts an event behind everything that is in the stream. */
    void recordEvent(long event, long stream);

    /** Whether everything before the last record of the event has ended; true for one that was never recorded. */
    boolean isDone(long event);

    void destroyEvent(long event);

    /**
     * Makes writes of network cards visible. Fails with NOT_SUPPORTED if the driver lacks the call.
     *
     * @param scope {@link #FLUSH_TO_OWNER}, or 200 for all devices
     */
    void flushWrites(int scope);

    /** A handle by which another process maps an allocation, {@link #IPC_HANDLE_BYTES} long. */
    byte[] ipcHandle(long address);

    /** Maps memory of another process into the current context. The exporting process itself is refused. */
    long openIpcHandle(byte[] handle, int flags);

    void closeIpcHandle(long address);

    /**
     * Exports whole host pages of an allocation as a dma-buf.
     *
     * @return a file descriptor, which the caller closes
     * @throws CudaException NOT_SUPPORTED if driver or device lack it
     */
    int dmaBuf(long address, long lengthBytes);
}
