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
    private static final int KIND = 6;

    /** Where its length is. */
    static final int LENGTH = 8;

    /** Where its fields begin. */
    static final int FIELDS = 12;

    static final int CHECKSUM_BYTES = 4;
    private static final int MIN_BYTES = FIELDS + CHECKSUM_BYTES;

    private DescriptorFrame() {}

    /** Writes what stands before the length. */
    static void writeHead(DescriptorKind kind, byte[] frame) {
        BigEndian.putInt(frame, 0, MARK);
        frame[4] = MAJOR;
        frame[5] = MINOR;
        BigEndian.putShort(frame, KIND, kind.number);
    }

    /** The fields inside the frame, which is whole and of the wanted kind. */
    static ByteBuffer open(DescriptorKind wanted, byte[] bytes) {
        checkLength(bytes.length);
        check(wanted, new CRC32C(), bytes, bytes.length);
        return ByteBuffer.wrap(bytes).slice(FIELDS, bytes.length - MIN_BYTES);
    }

    /** Checks the length that a frame seems to have, before it is looked at. */
    static void checkLength(int length) {
        if (length > MAX_BYTES) {
            throw new DescriptorException("has " + length + " bytes, more than the limit of " + MAX_BYTES);
        }
        if (length < MIN_BYTES) {
            throw new DescriptorException("is truncated: " + length + " bytes, the shortest has " + MIN_BYTES);
        }
    }

    /** Checks the first {@code length} bytes: a frame that is whole and of the wanted kind. */
    static void check(DescriptorKind wanted, CRC32C crc, byte[] bytes, int length) {
        checkWhole(bytes, length);
        if (BigEndian.getInt(bytes, length - CHECKSUM_BYTES) != checksum(crc, bytes, length)) {
            throw new DescriptorException("its checksum is wrong: the bytes were changed");
        }
        int major = bytes[4] & 0xFF;
        if (major != MAJOR) {
            throw new DescriptorException("major version " + major + " is unknown, this library supports " + MAJOR);
        }
        checkKind(wanted, BigEndian.getShort(bytes, KIND));
    }

    private static void checkWhole(byte[] bytes, int found) {
        if (BigEndian.getInt(bytes, 0) != MARK) {
            throw new DescriptorException("does not begin with the magic number of a descriptor");
        }
        long length = BigEndian.getInt(bytes, LENGTH) & 0xFFFF_FFFFL;
        if (found < length) {
            throw new DescriptorException("is truncated: " + found + " of " + length + " bytes");
        }
        if (found > length) {
            throw new DescriptorException("is followed by other bytes: " + found + ", but its length is " + length);
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

    /** Of the first {@code length} bytes but the last four. */
    static int checksum(CRC32C crc, byte[] bytes, int length) {
        crc.reset();
        crc.update(bytes, 0, length - CHECKSUM_BYTES);
        return (int) crc.getValue();
    }
}
