package io.urma4j.internal.descriptor;

import io.urma4j.DescriptorException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The outer layout of a binary descriptor, big-endian. It is the same for every version, so that a reader can tell a
 * damaged descriptor from a newer one.
 * <pre>
 *    0  mark      u32  "U4JD"
 *    4  major     u8   readers refuse one that they do not know
 *    5  minor     u8   tells more, changes nothing that was there
 *    6  kind      u16  {@link DescriptorKind}
 *    8  length    u32  of all, checksum included
 *   12  fields         {@link DescriptorFields}
 *  end  checksum  u32  CRC32C of all bytes before
 * </pre>
 */
public final class DescriptorFrame {
    /** Longest binary form; its text form stays below {@link DescriptorText#MAX_CHARACTERS}. */
    static final int MAX_BYTES = 49_088;

    private static final int MARK = 0x55344A44;
    private static final int MAJOR = 1;
    private static final int MINOR = 0;
    private static final int FIELDS = 12;
    private static final int CHECKSUM_BYTES = 4;
    private static final int MIN_BYTES = FIELDS + CHECKSUM_BYTES;

    private DescriptorFrame() {}

    /** Puts the frame around {@code fields}. */
    static byte[] seal(DescriptorKind kind, byte[] fields) {
        ByteBuffer frame = ByteBuffer.allocate(MIN_BYTES + fields.length);
        frame.putInt(MARK).put((byte) MAJOR).put((byte) MINOR).putShort((short) kind.number);
        frame.putInt(frame.capacity()).put(fields);
        return frame.putInt(checksum(frame.array())).array();
    }

    /** The fields inside the frame, which is whole and of the wanted kind. */
    static ByteBuffer open(DescriptorKind wanted, byte[] bytes) {
        checkWhole(bytes);
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        if (frame.getInt(bytes.length - CHECKSUM_BYTES) != checksum(bytes)) {
            throw new DescriptorException("its checksum is wrong: the bytes were changed");
        }
        int major = frame.get(4) & 0xFF;
        if (major != MAJOR) {
            throw new DescriptorException("major version " + major + " is unknown, this library supports " + MAJOR);
        }
        checkKind(wanted, frame.getShort(6) & 0xFFFF);
        return frame.slice(FIELDS, bytes.length - MIN_BYTES);
    }

    private static void checkWhole(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new DescriptorException("has " + bytes.length + " bytes, more than the limit of " + MAX_BYTES);
        }
        if (bytes.length < MIN_BYTES) {
            throw new DescriptorException("is truncated: " + bytes.length + " bytes, the shortest has " + MIN_BYTES);
        }
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        if (frame.getInt(0) != MARK) {
            throw new DescriptorException("does not begin with the magic number of a descriptor");
        }
        long length = frame.getInt(8) & 0xFFFF_FFFFL;
        if (bytes.length < length) {
            throw new DescriptorException("is truncated: " + bytes.length + " of " + length + " bytes");
        }
        if (bytes.length > length) {
            throw new DescriptorException(
                    "is followed by other bytes: " + bytes.length + ", but its length is " + length);
        }
    }

    private static void checkKind(DescriptorKind wanted, int number) {
        if (number == wanted.number) {
            return;
        }
        String found = Arrays.stream(DescriptorKind.values())
                .filter(kind -> kind.number == number)
                .findFirst()
                .map(kind -> "a descriptor of a " + kind.word)
                .orElse("of the unknown kind " + number);
        throw new DescriptorException("is " + found + ", not of a " + wanted.word);
    }

    /** Of all bytes but the last four. */
    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - CHECKSUM_BYTES);
        return (int) crc.getValue();
    }
}
