package io.urma4j.internal.descriptor;

import io.urma4j.DescriptorException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one descriptor, as they are written or read, without garbage: {@link DescriptorFrame} around fields. It is used
 * again and again, by one thread at a time.
 *
 * <p>A descriptor is copied out of its memory before it is checked, so that a peer that shares the memory cannot change it
 * between check and use.
 */
public final class FrameBuffer {
    private static final int FIRST_BYTES = 512;

    private final CRC32C crc = new CRC32C();
    private byte[] bytes = new byte[FIRST_BYTES];
    private int position;
    private int limit; // of the fields, while they are read
    private int fieldBytes;

    // ---- writing

    /** Begins a descriptor of that kind. */
    public void begin(DescriptorKind kind) {
        DescriptorFrame.writeHead(kind, bytes);
        position = DescriptorFrame.FIELDS;
    }

    /** Puts a field of 1, 4 or 8 bytes. */
    FrameBuffer number(DescriptorField field, long value) {
        int begun = beginField(field);
        switch (field.lengthBytes) {
            case 1 -> putByte((int) value);
            case 4 -> putInt((int) value);
            case 8 -> putLong(value);
            default -> throw new AssertionError(field + " is no number");
        }
        endField(begun);
        return this;
    }

    /** Begins a field; returns where it is, for {@link #endField}. */
    public int beginField(DescriptorField field) {
        putShort(field.tag);
        putShort(0);
        return position;
    }

    /**
     * Ends the field.
     *
     * @throws DescriptorException if it has more than 64 KiB
     */
    public void endField(int begun) {
        int length = position - begun;
        if (length > 0xFFFF) {
            throw new DescriptorException("a field has " + length + " bytes, more than the limit of " + 0xFFFF);
        }
        BigEndian.putShort(bytes, begun - Short.BYTES, length);
    }

    public void putByte(int value) {
        room(Byte.BYTES);
        bytes[position++] = (byte) value;
    }

    public void putShort(int value) {
        room(Short.BYTES);
        BigEndian.putShort(bytes, position, value);
        position += Short.BYTES;
    }

    public void putInt(int value) {
        room(Integer.BYTES);
        BigEndian.putInt(bytes, position, value);
        position += Integer.BYTES;
    }

    public void putLong(long value) {
        room(Long.BYTES);
        BigEndian.putLong(bytes, position, value);
        position += Long.BYTES;
    }

    public void putBytes(byte[] value) {
        room(value.length);
        System.arraycopy(value, 0, bytes, position, value.length);
        position += value.length;
    }

    /**
     * Ends the descriptor; returns its length.
     *
     * @throws DescriptorException if it is longer than a descriptor may be
     */
    public int seal() {
        room(DescriptorFrame.CHECKSUM_BYTES);
        int length = position + DescriptorFrame.CHECKSUM_BYTES;
        if (length > DescriptorFrame.MAX_BYTES) {
            throw new DescriptorException(
                    "has " + length + " bytes, more than the limit of " + DescriptorFrame.MAX_BYTES);
        }
        BigEndian.putInt(bytes, DescriptorFrame.LENGTH, length);
        putInt(DescriptorFrame.checksum(crc, bytes, length));
        return length;
    }

    /** The checksum of the sealed descriptor. */
    public int checksum() {
        return BigEndian.getInt(bytes, position - DescriptorFrame.CHECKSUM_BYTES);
    }

    /** Copies the sealed descriptor to the start of {@code to}, which has room for it. */
    public void copyTo(MemorySegment to) {
        MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, 0, position);
    }

    /** All that was put: the sealed descriptor, or the fields of one that was not begun. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, position);
    }

    private void room(int more) {
        if (position > bytes.length - more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, position + more));
        }
    }

    // ---- reading

    /**
     * Copies and checks a descriptor, which is all of {@code from}.
     *
     * @throws DescriptorException if it is not whole, or of another kind
     */
    public void open(DescriptorKind wanted, MemorySegment from) {
        int length = (int) Math.min(from.byteSize(), Integer.MAX_VALUE);
        DescriptorFrame.checkLength(length);
        if (bytes.length < length) {
            bytes = new byte[length];
        }
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, bytes, 0, length);
        DescriptorFrame.check(wanted, crc, bytes, length);
        position = DescriptorFrame.FIELDS;
        limit = length - DescriptorFrame.CHECKSUM_BYTES;
    }

    public boolean hasRemaining() {
        return position < limit;
    }

    /** Goes to some bytes of the fields, and to no others. */
    public void restrict(int from, int count) {
        position = from;
        limit = from + count;
    }

    /** Bytes from here to the end of the fields. */
    public int remaining() {
        return limit - position;
    }

    /** Where the next value is. */
    public int position() {
        return position;
    }

    /** The bytes, of which only those from {@link #position} on belong to the descriptor. */
    public byte[] bytes() {
        return bytes;
    }

    /** Goes on behind some bytes. */
    public void skip(int count) {
        need(count);
        position += count;
    }

    public int getByte() {
        need(Byte.BYTES);
        return bytes[position++] & 0xFF;
    }

    public int getShort() {
        need(Short.BYTES);
        int value = BigEndian.getShort(bytes, position);
        position += Short.BYTES;
        return value;
    }

    public int getInt() {
        need(Integer.BYTES);
        int value = BigEndian.getInt(bytes, position);
        position += Integer.BYTES;
        return value;
    }

    public long getLong() {
        need(Long.BYTES);
        long value = BigEndian.getLong(bytes, position);
        position += Long.BYTES;
        return value;
    }

    private void need(int count) {
        if (count > limit - position) {
            throw new DescriptorException(
                    "a field is truncated: " + (limit - position) + " of " + count + " bytes of a value");
        }
    }

    /** A header: the field that follows; null for one of another version, which is skipped by its length. */
    public @Nullable DescriptorField nextField(DescriptorKind kind) {
        int tag = getShort();
        fieldBytes = getShort();
        if (fieldBytes > remaining()) {
            throw DescriptorFields.truncated(tag, remaining(), fieldBytes);
        }
        DescriptorField field = kind.field(tag);
        if (field == null) {
            skip(fieldBytes);
        }
        return field;
    }

    /** Length of the field whose header was read last. */
    public int fieldBytes() {
        return fieldBytes;
    }
}
