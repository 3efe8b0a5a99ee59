package io.urma4j.cuda;

/**
 * A device, as the driver describes it.
 *
 * @param ordinal its number for this process, from 0
 * @param name of the model
 * @param uuid as {@code nvidia-smi -L} prints it
 * @param pciAddress such as {@code 0000:3b:00.0}
 * @param lengthBytes of its memory
 */
public record CudaDeviceInfo(int ordinal, String name, String uuid, String pciAddress, long lengthBytes) {}
