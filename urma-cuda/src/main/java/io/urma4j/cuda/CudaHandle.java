package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * What another process needs to open an allocation, little-endian: magic u32, length of the device's UUID u32, number of the share
 * u64 × 2, length of the allocation u64, the driver's handle of 64 bytes, and the UUID as text. Ordinals of two processes differ
 * where {@code CUDA_VISIBLE_DEVICES} does.
 *
 * @param share random: the process that made the handle finds its allocation by it
 * @param driverHandle {@link CudaDriver#IPC_HANDLE_BYTES} bytes, read-only
 */
record CudaHandle(UUID share, String deviceUuid, long lengthBytes, ByteBuffer driverHandle) {
    private static final int HEAD_BYTES = 4 + 4 + 16 + 8 + CudaDriver.IPC_HANDLE_BYTES;
    private static final int MAX_UUID_BYTES = 64;
    private static final int MAGIC = 0x4344_5531;

    CudaHandle(UUID share, String deviceUuid, long lengthBytes, byte[] driverHandle) {
        this(share, deviceUuid, lengthBytes, ByteBuffer.wrap(driverHandle).asReadOnlyBuffer());
    }

    /** As the driver takes it. */
    byte[] driverBytes() {
        byte[] bytes = new byte[CudaDriver.IPC_HANDLE_BYTES];
        driverHandle.get(0, bytes);
        return bytes;
    }

    byte[] toBytes() {
        byte[] uuid = deviceUuid.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(HEAD_BYTES + uuid.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putInt(uuid.length)
                .putLong(share.getMostSignificantBits())
                .putLong(share.getLeastSignificantBits())
                .putLong(lengthBytes)
                .put(driverHandle.duplicate())
                .put(uuid)
                .array();
    }

    /** Reads a handle of a peer. */
    static CudaHandle parse(byte[] bytes) {
        if (bytes.length <= HEAD_BYTES || bytes.length > HEAD_BYTES + MAX_UUID_BYTES) {
            throw refused("has " + bytes.length + " bytes, must have " + (HEAD_BYTES + 1) + "…"
                    + (HEAD_BYTES + MAX_UUID_BYTES));
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt() != MAGIC) {
            throw refused("is none of a CUDA device");
        }
        if (in.getInt() != bytes.length - HEAD_BYTES) {
            throw refused("has a wrong length of its UUID");
        }
        UUID share = new UUID(in.getLong(), in.getLong());
        long lengthBytes = in.getLong();
        if (lengthBytes < 1) {
            throw refused("names an allocation of " + lengthBytes + " bytes");
        }
        byte[] driverHandle = new byte[CudaDriver.IPC_HANDLE_BYTES];
        in.get(driverHandle);
        byte[] uuid = new byte[in.remaining()];
        in.get(uuid);
        return new CudaHandle(share, new String(uuid, StandardCharsets.US_ASCII), lengthBytes, driverHandle);
    }

    private static UrmaException refused(String why) {
        return new UrmaException(UrmaStatus.EINVAL, CudaClient.NAME, "a handle " + why);
    }

    @Override
    public String toString() {
        return lengthBytes + " bytes of device " + deviceUuid + " of another process";
    }
}
