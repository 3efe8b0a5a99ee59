package io.urma4j.cuda;

import io.urma4j.UrmaException;

/**
 * A call of the CUDA driver that failed: which one, and its result in numbers and words, for example {@code cuMemAlloc_v2
 * failed: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory}. The status is the result in URMA's terms.
 */
public final class CudaException extends UrmaException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int code;
    private final String name;

    /**
     * A failed call.
     *
     * @param call the function of the driver
     * @param code its result
     * @param name the driver's name of the result, such as {@code CUDA_ERROR_OUT_OF_MEMORY}
     * @param text the driver's description of it; may be empty
     */
    public CudaException(String call, int code, String name, String text) {
        super(
                CudaCode.status(code),
                "CUDA driver",
                call + " failed: " + name + " (" + code + ")" + (text.isEmpty() ? "" : ", " + text));
        this.call = call;
        this.code = code;
        this.name = name;
    }

    /** The function of the driver. */
    public String call() {
        return call;
    }

    /** The result ({@code CUresult}). */
    public int code() {
        return code;
    }

    /** The driver's name of the result. */
    public String name() {
        return name;
    }
}
