package io.urma4j.spi.control;

import io.urma4j.Token;
import io.urma4j.peer.PeerSharing;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Reads values from untrusted bytes. */
final class ControlReader {
    private final ByteBuffer bytes;

    ControlReader(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    int u8(String field) throws ControlFormatException {
        need(field, Byte.BYTES);
        return bytes.get() & 0xFF;
    }

    int u16(String field) throws ControlFormatException {
        need(field, Short.BYTES);
        return bytes.getShort() & 0xFFFF;
    }

    int i32(String field) throws ControlFormatException {
        need(field, Integer.BYTES);
        return bytes.getInt();
    }

    long i64(String field) throws ControlFormatException {
        need(field, Long.BYTES);
        return bytes.getLong();
    }

    /** A queue, UASID or token id: 24 bits, in four bytes. */
    int id(String field) throws ControlFormatException {
        int value = i32(field);
        if ((value & ~ControlCodec.MAX_ID) != 0) {
            throw new ControlFormatException(field + " is " + value + ", must lie in 0…" + ControlCodec.MAX_ID);
        }
        return value;
    }

    boolean bool(String field) throws ControlFormatException {
        int value = u8(field);
        if (value > 1) {
            throw new ControlFormatException(field + " is " + value + ", must be 0 or 1");
        }
        return value == 1;
    }

    /** A token, or none. */
    @Nullable
    Token token() throws ControlFormatException {
        boolean present = bool("token present");
        int value = i32("token");
        return present ? Token.of(value) : null;
    }

    /** An enum value; {@code values} refuses an unknown number by an unchecked exception. */
    <T> T oneOf(String field, int number, IntFunction<T> values) throws ControlFormatException {
        try {
            return values.apply(number);
        } catch (RuntimeException e) {
            throw new ControlFormatException(field + " " + number + " is unknown");
        }
    }

    String text(String field) throws ControlFormatException {
        int length = u16(field);
        if (length > ControlCodec.MAX_TEXT_BYTES) {
            throw new ControlFormatException(
                    field + " of " + length + " bytes is longer than " + ControlCodec.MAX_TEXT_BYTES);
        }
        need(field, length);
        ByteBuffer text = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
        } catch (CharacterCodingException e) {
            throw new ControlFormatException(field + " is not UTF-8");
        }
    }

    List<String> texts(String field) throws ControlFormatException {
        int count = u16(field);
        if (count > ControlCodec.MAX_TEXTS) {
            throw new ControlFormatException(field + " are " + count + ", more than " + ControlCodec.MAX_TEXTS);
        }
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            texts.add(text(field));
        }
        return texts;
    }

    ControlMessage.Handle handle(String field) throws ControlFormatException {
        int length = u16(field);
        if (length < 1 || length > PeerSharing.MAX_HANDLE_BYTES) {
            throw new ControlFormatException(
                    field + " of " + length + " bytes, must have 1…" + PeerSharing.MAX_HANDLE_BYTES);
        }
        need(field, length);
        byte[] handle = new byte[length];
        bytes.get(handle);
        return new ControlMessage.Handle(handle);
    }

    void end() throws ControlFormatException {
        if (bytes.hasRemaining()) {
            throw new ControlFormatException(bytes.remaining() + " bytes behind the end of the message");
        }
    }

    private void need(String field, int count) throws ControlFormatException {
        if (bytes.remaining() < count) {
            throw new ControlFormatException(
                    "ends in " + field + ": " + count + " bytes needed, " + bytes.remaining() + " left");
        }
    }
}
