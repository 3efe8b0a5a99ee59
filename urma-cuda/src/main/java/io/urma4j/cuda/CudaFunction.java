package io.urma4j.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/**
 * The functions of the driver, by the versioned names to which the macros of {@code cuda.h} expand. Each returns a {@code
 * CUresult}. A pointer, a {@code CUdeviceptr} and a {@code size_t} are all a 64-bit integer: the ABIs of 64-bit Linux pass them
 * alike.
 */
enum CudaFunction {
    INIT("cuInit", JAVA_INT),
    DRIVER_GET_VERSION("cuDriverGetVersion", JAVA_LONG),
    GET_ERROR_NAME("cuGetErrorName", JAVA_INT, JAVA_LONG),
    GET_ERROR_STRING("cuGetErrorString", JAVA_INT, JAVA_LONG),

    DEVICE_GET_COUNT("cuDeviceGetCount", JAVA_LONG),
    DEVICE_GET("cuDeviceGet", JAVA_LONG, JAVA_INT),
    DEVICE_GET_NAME("cuDeviceGetName", JAVA_LONG, JAVA_INT, JAVA_INT),
    DEVICE_GET_UUID("cuDeviceGetUuid_v2", JAVA_LONG, JAVA_INT),
    DEVICE_TOTAL_MEM("cuDeviceTotalMem_v2", JAVA_LONG, JAVA_INT),
    DEVICE_GET_ATTRIBUTE("cuDeviceGetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT),

    PRIMARY_CTX_RETAIN("cuDevicePrimaryCtxRetain", JAVA_LONG, JAVA_INT),
    PRIMARY_CTX_RELEASE("cuDevicePrimaryCtxRelease_v2", JAVA_INT),
    CTX_SET_CURRENT("cuCtxSetCurrent", JAVA_LONG),
    CTX_GET_CURRENT("cuCtxGetCurrent", JAVA_LONG),

    MEM_ALLOC("cuMemAlloc_v2", JAVA_LONG, JAVA_LONG),
    MEM_FREE("cuMemFree_v2", JAVA_LONG),
    MEM_GET_INFO("cuMemGetInfo_v2", JAVA_LONG, JAVA_LONG),
    MEM_GET_ADDRESS_RANGE("cuMemGetAddressRange_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG),
    MEM_HOST_REGISTER("cuMemHostRegister_v2", JAVA_LONG, JAVA_LONG, JAVA_INT),
    MEM_HOST_UNREGISTER("cuMemHostUnregister", JAVA_LONG),
    POINTER_GET_ATTRIBUTES("cuPointerGetAttributes", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG),
    POINTER_SET_ATTRIBUTE("cuPointerSetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG),

    MEMCPY_HTOD_ASYNC("cuMemcpyHtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
    MEMCPY_DTOH_ASYNC("cuMemcpyDtoHAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
    MEMCPY_DTOD_ASYNC("cuMemcpyDtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
    MEMSET_D8_ASYNC("cuMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG),

    STREAM_CREATE("cuStreamCreate", JAVA_LONG, JAVA_INT),
    STREAM_SYNCHRONIZE("cuStreamSynchronize", JAVA_LONG),
    STREAM_QUERY("cuStreamQuery", JAVA_LONG),
    STREAM_DESTROY("cuStreamDestroy_v2", JAVA_LONG),
    EVENT_CREATE("cuEventCreate", JAVA_LONG, JAVA_INT),
    EVENT_RECORD("cuEventRecord", JAVA_LONG, JAVA_LONG),
    EVENT_QUERY("cuEventQuery", JAVA_LONG),
    EVENT_DESTROY("cuEventDestroy_v2", JAVA_LONG),

    IPC_GET_MEM_HANDLE("cuIpcGetMemHandle", JAVA_LONG, JAVA_LONG),
    // the handle is a struct of 64 bytes, passed by value
    IPC_OPEN_MEM_HANDLE(
            "cuIpcOpenMemHandle_v2",
            JAVA_LONG,
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(CudaDriver.IPC_HANDLE_BYTES, JAVA_BYTE)),
            JAVA_INT),
    IPC_CLOSE_MEM_HANDLE("cuIpcCloseMemHandle", JAVA_LONG),

    // from CUDA 11.3 and 11.7 on, and not on all platforms
    FLUSH_GPU_DIRECT_RDMA_WRITES("cuFlushGPUDirectRDMAWrites", JAVA_INT, JAVA_INT),
    MEM_GET_HANDLE_FOR_ADDRESS_RANGE(
            "cuMemGetHandleForAddressRange", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);

    private final String symbol;

    @SuppressWarnings("ImmutableEnumChecker") // immutable, which the type cannot say
    private final FunctionDescriptor descriptor;

    CudaFunction(String symbol, MemoryLayout... arguments) {
        this.symbol = symbol;
        this.descriptor = FunctionDescriptor.of(JAVA_INT, arguments);
    }

    String symbol() {
        return symbol;
    }

    FunctionDescriptor descriptor() {
        return descriptor;
    }

    /** Whether a driver without it is still of use. */
    boolean isOptional() {
        return this == FLUSH_GPU_DIRECT_RDMA_WRITES || this == MEM_GET_HANDLE_FOR_ADDRESS_RANGE;
    }
}
