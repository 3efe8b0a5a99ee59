package io.urma4j.cuda;

import io.urma4j.UrmaStatus;

/** Results of the driver ({@code CUresult}) that this module acts on. */
final class CudaCode {
    static final int SUCCESS = 0;
    static final int INVALID_VALUE = 1;
    static final int OUT_OF_MEMORY = 2;
    static final int NOT_INITIALIZED = 3;
    static final int DEINITIALIZED = 4;
    static final int STUB_LIBRARY = 34;
    static final int NO_DEVICE = 100;
    static final int INVALID_DEVICE = 101;
    static final int INVALID_CONTEXT = 201;
    static final int ALREADY_MAPPED = 208;
    static final int ECC_UNCORRECTABLE = 214;
    static final int INVALID_HANDLE = 400;
    static final int NOT_READY = 600;
    static final int ILLEGAL_ADDRESS = 700;
    static final int CONTEXT_IS_DESTROYED = 709;
    static final int HOST_MEMORY_ALREADY_REGISTERED = 712;
    static final int HOST_MEMORY_NOT_REGISTERED = 713;
    static final int LAUNCH_FAILED = 719;
    static final int NOT_PERMITTED = 800;
    static final int NOT_SUPPORTED = 801;
    static final int TIMEOUT = 909;
    static final int UNKNOWN = 999;

    private CudaCode() {}

    /** Whether every later call of the context fails, too: its memory is lost. */
    static boolean isSticky(int code) {
        return switch (code) {
            case ECC_UNCORRECTABLE, ILLEGAL_ADDRESS, CONTEXT_IS_DESTROYED, LAUNCH_FAILED, UNKNOWN -> true;
            default -> false;
        };
    }

    /** The result in URMA's terms. */
    static UrmaStatus status(int code) {
        return switch (code) {
            case OUT_OF_MEMORY -> UrmaStatus.ENOMEM;
            case INVALID_VALUE,
                    NOT_INITIALIZED,
                    INVALID_DEVICE,
                    INVALID_CONTEXT,
                    INVALID_HANDLE,
                    HOST_MEMORY_NOT_REGISTERED,
                    NOT_SUPPORTED -> UrmaStatus.EINVAL;
            case ALREADY_MAPPED, HOST_MEMORY_ALREADY_REGISTERED -> UrmaStatus.EEXIST;
            case NOT_PERMITTED -> UrmaStatus.ENOPERM;
            case TIMEOUT -> UrmaStatus.ETIMEOUT;
            default -> UrmaStatus.FAIL;
        };
    }
}
