package io.urma4j.spi.control;

import io.urma4j.Token;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes values in the format of {@link ControlReader}. */
final class ControlWriter {
    private final ByteBuffer bytes =
            ByteBuffer.allocate(ControlCodec.MAX_MESSAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    ControlWriter u8(int value) {
        bytes.put((byte) value);
        return this;
    }

    ControlWriter u16(int value) {
        bytes.putShort((short) value);
        return this;
    }

    ControlWriter i32(int value) {
        bytes.putInt(value);
        return this;
    }

    ControlWriter i64(long value) {
        bytes.putLong(value);
        return this;
    }

    ControlWriter bool(boolean value) {
        return u8(value ? 1 : 0);
    }

    ControlWriter token(@Nullable Token token) {
        return bool(token != null).i32(token == null ? 0 : token.value());
    }

    /** Truncates a long text; only texts for people are ever that long. */
    ControlWriter text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = utf8.length;
        if (length > ControlCodec.MAX_TEXT_BYTES) {
            length = ControlCodec.MAX_TEXT_BYTES;
            while ((utf8[length] & 0xC0) == 0x80) {
                length--; // not within a character
            }
        }
        u16(length);
        bytes.put(utf8, 0, length);
        return this;
    }

    ControlWriter texts(List<String> texts) {
        int count = Math.min(texts.size(), ControlCodec.MAX_TEXTS);
        u16(count);
        texts.subList(0, count).forEach(this::text);
        return this;
    }

    /** Its length in two bytes, and then its bytes. */
    ControlWriter handle(ControlMessage.Handle handle) {
        byte[] all = handle.bytes();
        u16(all.length);
        bytes.put(all);
        return this;
    }

    ByteBuffer finish() {
        return bytes.flip();
    }
}
