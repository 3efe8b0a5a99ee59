package io.urma4j.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.UrmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The driver that is installed, by {@code java.lang.foreign}. A call that moves bytes or asks for their end allocates nothing;
 * others use a confined arena for their results. No call is a critical one: each may block for milliseconds.
 */
public final class FfmCudaDriver implements CudaDriver {
    /** CUDA 11.4: the first with all functions that are not optional. */
    static final int MINIMUM_VERSION = 11_040;

    private static final int ATTRIBUTE_PCI_BUS = 33;
    private static final int ATTRIBUTE_PCI_DEVICE = 34;
    private static final int ATTRIBUTE_PCI_DOMAIN = 50;
    private static final int POINTER_ATTRIBUTE_SYNC_MEMOPS = 6;
    private static final int HANDLE_TYPE_DMA_BUF = 1;
    private static final int FLUSH_CURRENT_CONTEXT = 0;

    private static final int NAME_BYTES = 256;
    private static final int UUID_BYTES = 16;

    private final CudaLibrary library;
    private final CudaCalls calls;

    // of each copy
    private final MethodHandle copyIn;
    private final MethodHandle copyOut;
    private final MethodHandle queryStream;
    private final MethodHandle recordEvent;
    private final MethodHandle queryEvent;

    private FfmCudaDriver(CudaLibrary library) {
        this.library = library;
        this.calls = new CudaCalls(library);
        this.copyIn = calls.function(CudaFunction.MEMCPY_HTOD_ASYNC);
        this.copyOut = calls.function(CudaFunction.MEMCPY_DTOH_ASYNC);
        this.queryStream = calls.function(CudaFunction.STREAM_QUERY);
        this.recordEvent = calls.function(CudaFunction.EVENT_RECORD);
        this.queryEvent = calls.function(CudaFunction.EVENT_QUERY);
    }

    /**
     * Opens the driver, and initializes it.
     *
     * @param library its path or name; empty to search where drivers are
     * @throws UrmaException EINVAL with the reason if there is no driver, or none that can be used
     */
    public static FfmCudaDriver open(Optional<String> library) {
        return open(CudaLibrary.open(library, CudaLibrary.PLACES));
    }

    static FfmCudaDriver open(CudaLibrary library) {
        library.check();
        FfmCudaDriver driver = new FfmCudaDriver(library);
        driver.initialize();
        return driver;
    }

    private void initialize() {
        try {
            calls.call(CudaFunction.INIT, 0);
        } catch (CudaException e) {
            throw library.unusable(
                    switch (e.code()) {
                        case CudaCode.STUB_LIBRARY -> "it is the toolkit's stub for linkers, not a driver";
                        case CudaCode.NO_DEVICE -> "it finds no device";
                        default -> e.reason();
                    });
        }
        int version = version();
        if (version < MINIMUM_VERSION) {
            throw library.unusable(
                    "it supports CUDA " + text(version) + ", and " + text(MINIMUM_VERSION) + " or later is needed");
        }
    }

    private static String text(int version) {
        return version / 1000 + "." + version % 1000 / 10;
    }

    @Override
    public int version() {
        return (int) calls.result(CudaFunction.DRIVER_GET_VERSION);
    }

    @Override
    public int deviceCount() {
        return (int) calls.result(CudaFunction.DEVICE_GET_COUNT);
    }

    private int handle(int ordinal) {
        return (int) calls.result(CudaFunction.DEVICE_GET, ordinal);
    }

    @Override
    public CudaDeviceInfo device(int ordinal) {
        int device = handle(ordinal);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(NAME_BYTES);
            calls.call(CudaFunction.DEVICE_GET_NAME, name.address(), NAME_BYTES, device);
            MemorySegment uuid = arena.allocate(UUID_BYTES);
            calls.call(CudaFunction.DEVICE_GET_UUID, uuid.address(), device);
            String pci = "%04x:%02x:%02x.0"
                    .formatted(
                            attribute(ordinal, ATTRIBUTE_PCI_DOMAIN),
                            attribute(ordinal, ATTRIBUTE_PCI_BUS),
                            attribute(ordinal, ATTRIBUTE_PCI_DEVICE));
            return new CudaDeviceInfo(
                    ordinal,
                    name.getString(0),
                    uuid(uuid.toArray(JAVA_BYTE)),
                    pci,
                    calls.result(CudaFunction.DEVICE_TOTAL_MEM, device));
        }
    }

    private static String uuid(byte[] bytes) {
        String hex = HexFormat.of().formatHex(bytes);
        return "GPU-" + hex.substring(0, 8) + "-" + hex.substring(8, 12) + "-" + hex.substring(12, 16) + "-"
                + hex.substring(16, 20) + "-" + hex.substring(20);
    }

    @Override
    public int attribute(int ordinal, int attribute) {
        return (int) calls.result(CudaFunction.DEVICE_GET_ATTRIBUTE, attribute, handle(ordinal));
    }

    @Override
    public long retainPrimaryContext(int ordinal) {
        return calls.result(CudaFunction.PRIMARY_CTX_RETAIN, handle(ordinal));
    }

    @Override
    public void releasePrimaryContext(int ordinal) {
        calls.call(CudaFunction.PRIMARY_CTX_RELEASE, handle(ordinal));
    }

    @Override
    public void setCurrentContext(long context) {
        calls.call(CudaFunction.CTX_SET_CURRENT, context);
    }

    @Override
    public long currentContext() {
        return calls.result(CudaFunction.CTX_GET_CURRENT);
    }

    @Override
    public long allocate(long lengthBytes) {
        return calls.result(CudaFunction.MEM_ALLOC, lengthBytes);
    }

    @Override
    public void free(long address) {
        calls.call(CudaFunction.MEM_FREE, address);
    }

    @Override
    public long freeBytes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sizes = arena.allocate(JAVA_LONG, 2);
            calls.call(CudaFunction.MEM_GET_INFO, sizes.address(), sizes.address() + 8);
            return sizes.getAtIndex(JAVA_LONG, 0);
        }
    }

    @Override
    public AddressRange addressRange(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment range = arena.allocate(JAVA_LONG, 2);
            calls.call(CudaFunction.MEM_GET_ADDRESS_RANGE, range.address(), range.address() + 8, address);
            return new AddressRange(range.getAtIndex(JAVA_LONG, 0), range.getAtIndex(JAVA_LONG, 1));
        }
    }

    @Override
    public Optional<PointerAttributes> pointerAttributes(long address) {
        try (Arena arena = Arena.ofConfined()) {
            PointerQuery query = new PointerQuery(arena);
            calls.call(
                    CudaFunction.POINTER_GET_ATTRIBUTES,
                    query.count(),
                    query.attributes().address(),
                    query.results().address(),
                    address);
            return query.read();
        } catch (CudaException e) {
            if (e.code() == CudaCode.INVALID_VALUE) {
                return Optional.empty(); // newer drivers answer with zeros instead
            }
            throw e;
        }
    }

    @Override
    public void setSyncMemops(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment yes = arena.allocateFrom(JAVA_INT, 1);
            calls.call(CudaFunction.POINTER_SET_ATTRIBUTE, yes.address(), POINTER_ATTRIBUTE_SYNC_MEMOPS, address);
        }
    }

    @Override
    public void registerHost(long address, long lengthBytes, int flags) {
        calls.call(CudaFunction.MEM_HOST_REGISTER, address, lengthBytes, flags);
    }

    @Override
    public void unregisterHost(long address) {
        calls.call(CudaFunction.MEM_HOST_UNREGISTER, address);
    }

    @Override
    public void copyIn(long address, long host, long lengthBytes, long stream) {
        calls.check(CudaFunction.MEMCPY_HTOD_ASYNC, CudaCalls.invoke(copyIn, address, host, lengthBytes, stream));
    }

    @Override
    public void copyOut(long host, long address, long lengthBytes, long stream) {
        calls.check(CudaFunction.MEMCPY_DTOH_ASYNC, CudaCalls.invoke(copyOut, host, address, lengthBytes, stream));
    }

    @Override
    public void copyWithin(long to, long from, long lengthBytes, long stream) {
        calls.call(CudaFunction.MEMCPY_DTOD_ASYNC, to, from, lengthBytes, stream);
    }

    @Override
    public void fill(long address, byte value, long lengthBytes, long stream) {
        calls.call(CudaFunction.MEMSET_D8_ASYNC, address, value, lengthBytes, stream);
    }

    @Override
    public long createStream(int flags) {
        return calls.result(CudaFunction.STREAM_CREATE, flags);
    }

    @Override
    public void synchronizeStream(long stream) {
        calls.call(CudaFunction.STREAM_SYNCHRONIZE, stream);
    }

    @Override
    public boolean isStreamDone(long stream) {
        return isDone(CudaFunction.STREAM_QUERY, CudaCalls.invoke(queryStream, stream));
    }

    private boolean isDone(CudaFunction query, int code) {
        if (code == CudaCode.NOT_READY) {
            return false;
        }
        calls.check(query, code);
        return true;
    }

    @Override
    public void destroyStream(long stream) {
        calls.call(CudaFunction.STREAM_DESTROY, stream);
    }

    @Override
    public long createEvent(int flags) {
        return calls.result(CudaFunction.EVENT_CREATE, flags);
    }

    @Override
    public void recordEvent(long event, long stream) {
        calls.check(CudaFunction.EVENT_RECORD, CudaCalls.invoke(recordEvent, event, stream));
    }

    @Override
    public boolean isDone(long event) {
        return isDone(CudaFunction.EVENT_QUERY, CudaCalls.invoke(queryEvent, event));
    }

    @Override
    public void destroyEvent(long event) {
        calls.call(CudaFunction.EVENT_DESTROY, event);
    }

    @Override
    public void flushWrites(int scope) {
        calls.call(CudaFunction.FLUSH_GPU_DIRECT_RDMA_WRITES, FLUSH_CURRENT_CONTEXT, scope);
    }

    @Override
    public byte[] ipcHandle(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(IPC_HANDLE_BYTES);
            calls.call(CudaFunction.IPC_GET_MEM_HANDLE, handle.address(), address);
            return handle.toArray(JAVA_BYTE);
        }
    }

    @Override
    public long openIpcHandle(byte[] handle, int flags) {
        if (handle.length != IPC_HANDLE_BYTES) {
            throw new IllegalArgumentException("handle has " + handle.length + " bytes, must have " + IPC_HANDLE_BYTES);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(JAVA_LONG);
            MemorySegment byValue = arena.allocateFrom(JAVA_BYTE, handle);
            int code;
            try {
                code = (int) calls.function(CudaFunction.IPC_OPEN_MEM_HANDLE)
                        .invokeExact(address.address(), byValue, (long) flags);
            } catch (Throwable thrown) {
                throw CudaCalls.rethrow(thrown);
            }
            calls.check(CudaFunction.IPC_OPEN_MEM_HANDLE, code);
            return address.get(JAVA_LONG, 0);
        }
    }

    @Override
    public void closeIpcHandle(long address) {
        calls.call(CudaFunction.IPC_CLOSE_MEM_HANDLE, address);
    }

    @Override
    public int dmaBuf(long address, long lengthBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fd = arena.allocateFrom(JAVA_INT, -1);
            MethodHandle export = calls.function(CudaFunction.MEM_GET_HANDLE_FOR_ADDRESS_RANGE);
            int code;
            try {
                code = (int) export.invokeExact(fd.address(), address, lengthBytes, (long) HANDLE_TYPE_DMA_BUF, 0L);
            } catch (Throwable thrown) {
                throw CudaCalls.rethrow(thrown);
            }
            calls.check(CudaFunction.MEM_GET_HANDLE_FOR_ADDRESS_RANGE, code);
            return fd.get(JAVA_INT, 0);
        }
    }

    @Override
    public String toString() {
        return "CUDA driver " + library;
    }
}
