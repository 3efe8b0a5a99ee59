package io.urma4j.buffer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Forms that a released version has written: they are read for ever, and written unchanged. */
final class Golden {
    private Golden() {}

    /** The lines of a file, joined. */
    static String text(String name) {
        try (InputStream file = Golden.class.getResourceAsStream("golden/" + name)) {
            if (file == null) {
                throw new AssertionError("no golden file " + name);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).replace("\n", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes of a file of hexadecimal digits. */
    static byte[] bytes(String name) {
        return HexFormat.of().parseHex(text(name));
    }
}
