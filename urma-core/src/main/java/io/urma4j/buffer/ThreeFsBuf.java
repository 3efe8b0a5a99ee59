package io.urma4j.buffer;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.urma4j.DescriptorException;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Remote memory as 3FS describes it to verbs devices: an address, and a remote key for each device. It says neither whose memory
 * it is nor what is allowed, and has no checksum; peers that run urma4j use a {@link RemoteBuf}.
 *
 * <p>Its layout is 3FS's, on a little-endian host:
 *
 * <pre>
 *    0  address  u64
 *    8  length   u64
 *   16  count    u8   0…4
 *   17  for each key: rkey u32, device i32
 * </pre>
 *
 * <p>3FS writes keys up to the first unused one, and drops the others; here an unused one is refused (S14.30).
 *
 * @param address of the first byte, as the devices count
 * @param keys at most 4, each of another device
 */
public record ThreeFsBuf(long address, long lengthBytes, List<Key> keys) {
    /** Maximum number of keys. */
    public static final int MOST_KEYS = 4;

    private static final String NAME = "ThreeFsBuf";
    private static final ValueLayout.OfLong U64 = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt U32 = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int LENGTH = 8;
    private static final int COUNT = 16;
    private static final int KEYS = 17;
    private static final int KEY_BYTES = 8;

    /**
     * Checks the values.
     *
     * @throws UrmaException EINVAL for more than 4 keys, two keys of one device, or a range whose end exceeds 64 bits
     */
    public ThreeFsBuf {
        keys = List.copyOf(keys);
        Checks.inRange(NAME, "number of keys", keys.size(), 0, MOST_KEYS);
        Checks.inRange(NAME, "lengthBytes", lengthBytes, 0, Long.MAX_VALUE);
        if (Long.compareUnsigned(address + lengthBytes, address) < 0) {
            throw Checks.invalid(
                    NAME,
                    "address 0x" + Long.toHexString(address) + " + lengthBytes " + lengthBytes + " exceeds 64 bits");
        }
        if (keys.stream().mapToInt(Key::device).distinct().count() < keys.size()) {
            throw Checks.invalid(
                    NAME,
                    "a device has two keys: " + keys.stream().map(Key::device).toList());
        }
    }

    /**
     * The key for one device.
     *
     * @param device place of the context in its pool
     */
    public record Key(int rkey, int device) {
        /**
         * Checks the value.
         *
         * @throws UrmaException EINVAL for a negative device, by which 3FS marks an unused place
         */
        public Key {
            Checks.inRange(NAME, "device", device, 0, Integer.MAX_VALUE);
        }

        @Override
        public String toString() {
            return "key of device " + device;
        }
    }

    /** The key for a device; empty if it has none, as for every negative place. */
    public OptionalInt rkey(int device) {
        for (Key key : keys) {
            if (key.device == device) {
                return OptionalInt.of(key.rkey);
            }
        }
        return OptionalInt.empty();
    }

    /** Bytes of its form. */
    public int encodedBytes() {
        return KEYS + KEY_BYTES * keys.size();
    }

    /**
     * Writes it to the start of {@code to}.
     *
     * @return {@link #encodedBytes}
     * @throws UrmaException EINVAL if {@code to} is too short
     */
    public int encode(MemorySegment to) {
        if (to.byteSize() < encodedBytes()) {
            throw Checks.invalid(
                    this, "its form has " + encodedBytes() + " bytes, but there is room for " + to.byteSize());
        }
        to.set(U64, 0, address);
        to.set(U64, LENGTH, lengthBytes);
        to.set(JAVA_BYTE, COUNT, (byte) keys.size());
        for (int i = 0; i < keys.size(); i++) {
            long at = KEYS + (long) i * KEY_BYTES;
            to.set(U32, at, keys.get(i).rkey);
            to.set(U32, at + Integer.BYTES, keys.get(i).device);
        }
        return encodedBytes();
    }

    /**
     * Reads the form that is all of {@code from}.
     *
     * @throws DescriptorException for another length, more than 4 keys, a key of a negative device or two of one device, or a range
     *     whose end exceeds 64 bits. Other changes cannot be noticed.
     */
    public static ThreeFsBuf decode(MemorySegment from) {
        if (from.byteSize() < KEYS) {
            throw new DescriptorException("is truncated: " + from.byteSize() + " bytes, the shortest has " + KEYS);
        }
        int count = from.get(JAVA_BYTE, COUNT) & 0xFF; // 3FS reads it with a sign
        long length = KEYS + (long) KEY_BYTES * count;
        if (count > MOST_KEYS || from.byteSize() != length) {
            throw new DescriptorException("has " + from.byteSize() + " bytes and " + count + " keys, of at most "
                    + MOST_KEYS + "; it must have " + length + " bytes");
        }
        try {
            List<Key> keys = new ArrayList<>(count);
            for (long at = KEYS; at < length; at += KEY_BYTES) {
                keys.add(new Key(from.get(U32, at), from.get(U32, at + Integer.BYTES)));
            }
            return new ThreeFsBuf(from.get(U64, 0), from.get(U64, LENGTH), keys);
        } catch (UrmaException e) {
            throw new DescriptorException(e.reason());
        }
    }

    @Override
    public String toString() {
        return "3FS buffer of " + lengthBytes + " bytes at 0x" + Long.toHexString(address) + " with keys of "
                + keys.size() + " devices";
    }
}
