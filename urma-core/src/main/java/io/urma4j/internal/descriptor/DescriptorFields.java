package io.urma4j.internal.descriptor;

import io.urma4j.DescriptorException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a descriptor in their binary form, in any order, big-endian.
 * <pre>
 *    0  tag     u16  {@link DescriptorField}
 *    2  length  u16  of the value
 *    4  value
 * </pre>
 */
public final class DescriptorFields {
    private static final int HEADER_BYTES = 4;

    private final Map<DescriptorField, List<ByteBuffer>> values = new EnumMap<>(DescriptorField.class);

    private DescriptorFields() {}

    /**
     * Finds the fields of a descriptor of {@code kind}: each once, nothing critical that is unknown, nothing cut off.
     *
     * @throws DescriptorException naming the field and what is wrong with it
     */
    static DescriptorFields read(DescriptorKind kind, ByteBuffer bytes) {
        DescriptorFields fields = new DescriptorFields();
        while (bytes.hasRemaining()) {
            fields.readOne(kind, bytes);
        }
        for (DescriptorField field : kind.fields()) {
            if (!field.mayBeMissing() && !fields.values.containsKey(field)) {
                throw new DescriptorException("field '" + field + "' is missing");
            }
        }
        return fields;
    }

    private void readOne(DescriptorKind kind, ByteBuffer bytes) {
        if (bytes.remaining() < HEADER_BYTES) {
            throw new DescriptorException("a field is truncated: " + bytes.remaining() + " bytes of its header");
        }
        int tag = bytes.getShort() & 0xFFFF;
        int length = bytes.getShort() & 0xFFFF;
        if (bytes.remaining() < length) {
            throw truncated(tag, bytes.remaining(), length);
        }
        ByteBuffer value = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        DescriptorField known = kind.field(tag);
        if (known != null) {
            add(known, value);
        }
    }

    static DescriptorException truncated(int tag, int found, int length) {
        return new DescriptorException(
                "field 0x" + Integer.toHexString(tag) + " is truncated: " + found + " of " + length + " bytes");
    }

    private void add(DescriptorField field, ByteBuffer value) {
        if (field.lengthBytes != 0 && field.lengthBytes != value.remaining()) {
            throw new DescriptorException(
                    "field '" + field + "' has " + value.remaining() + " bytes, must have " + field.lengthBytes);
        }
        List<ByteBuffer> all = values.computeIfAbsent(field, _ -> new ArrayList<>(1));
        if (!all.isEmpty() && !field.mayRepeat()) {
            throw new DescriptorException("field '" + field + "' occurs twice");
        }
        all.add(value);
    }

    /** The value of a field of 1, 4 or 8 bytes, without sign unless it has 8. */
    long number(DescriptorField field) {
        ByteBuffer value = bytes(field);
        return switch (field.lengthBytes) {
            case 1 -> value.get(0) & 0xFF;
            case 4 -> value.getInt(0) & 0xFFFF_FFFFL;
            case 8 -> value.getLong(0);
            default -> throw new AssertionError(field + " is no number");
        };
    }

    /** The value of a field that is there once. */
    ByteBuffer bytes(DescriptorField field) {
        return all(field).getFirst();
    }

    /** The values of a field, in order; none when it is not there. */
    List<ByteBuffer> all(DescriptorField field) {
        return values.getOrDefault(field, List.of());
    }
}
