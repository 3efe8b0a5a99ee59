package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What another process needs to open an allocation, as 56 bytes, little-endian: magic u32, descriptor u32, pid u64, nonce of the
 * {@link NpuStore} u64 × 2, ordinal u32, zero u32, buffer id u64, length u64.
 */
record NpuHandle(
        int descriptor, long pid, long nonceHigh, long nonceLow, int ordinal, long bufferId, long lengthBytes) {
    private static final int BYTES = 56;
    private static final int MAGIC = 0x4E50_5531;

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putInt(descriptor)
                .putLong(pid)
                .putLong(nonceHigh)
                .putLong(nonceLow)
                .putInt(ordinal)
                .putInt(0)
                .putLong(bufferId)
                .putLong(lengthBytes)
                .array();
    }

    /** Reads a handle of a peer. */
    static NpuHandle parse(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw refused("has " + bytes.length + " bytes, must have " + BYTES);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt() != MAGIC) {
            throw refused("is none of a simulated NPU");
        }
        int descriptor = in.getInt();
        long pid = in.getLong();
        long nonceHigh = in.getLong();
        long nonceLow = in.getLong();
        int ordinal = in.getInt();
        boolean isZero = in.getInt() == 0;
        NpuHandle read = new NpuHandle(descriptor, pid, nonceHigh, nonceLow, ordinal, in.getLong(), in.getLong());
        if (!isZero || descriptor < 0 || pid < 1 || read.bufferId < 1 || !read.hasLength()) {
            throw refused("names no allocation: " + read);
        }
        return read;
    }

    private boolean hasLength() {
        return lengthBytes > 0 && lengthBytes % NpuDevice.GRANULE_BYTES == 0;
    }

    private static UrmaException refused(String why) {
        return new UrmaException(UrmaStatus.EINVAL, "simulated NPU", "a handle " + why);
    }

    @Override
    public String toString() {
        return "allocation " + bufferId + " of device " + ordinal + " of process " + pid;
    }
}
