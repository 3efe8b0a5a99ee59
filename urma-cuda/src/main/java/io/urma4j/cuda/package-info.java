/**
 * The peer memory client of NVIDIA GPUs, on the CUDA driver API alone.
 *
 * <p>{@link io.urma4j.cuda.CudaDriver} lists the calls, and {@link io.urma4j.cuda.FfmCudaDriver} makes them by {@code
 * java.lang.foreign}. {@link io.urma4j.cuda.CudaClient} is the client on top: two threads for each device, one that calls the
 * driver and one that polls for the end of copies. No other thread may call the driver, since the current context belongs to
 * an OS thread, and a virtual thread may change its OS thread between two calls.
 */
@org.jspecify.annotations.NullMarked
package io.urma4j.cuda;
