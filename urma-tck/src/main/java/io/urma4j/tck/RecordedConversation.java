package io.urma4j.tck;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The messages between two ends of one version, byte for byte: a golden file, against which later versions are tested
 * (docs/compatibility.md). Each line has the sender, the bytes in hexadecimal digits, and a comment for readers behind
 * {@code #}; a line that begins with {@code #} is a comment.
 */
public final class RecordedConversation {
    private static final HexFormat HEX = HexFormat.of();

    /**
     * One message.
     *
     * @param bytes in hexadecimal digits, so that two of them compare
     */
    public record Said(String speaker, String bytes, String remark) {
        /** A message as it was sent, from its position to its limit. */
        public static Said of(String speaker, ByteBuffer message, String remark) {
            byte[] bytes = new byte[message.remaining()];
            message.duplicate().get(bytes);
            return new Said(speaker, HEX.formatHex(bytes), remark);
        }

        /** The bytes, from position 0 to the limit. */
        public ByteBuffer message() {
            return ByteBuffer.wrap(HEX.parseHex(bytes));
        }

        private static Said parse(String line) {
            String[] parts = line.split(" +# ?| +", 3);
            return new Said(parts[0], parts[1], parts.length > 2 ? parts[2] : "");
        }

        private String line() {
            return speaker + " " + bytes + (remark.isEmpty() ? "" : " # " + remark);
        }
    }

    private RecordedConversation() {}

    /** Whether this run rewrites the golden files instead of comparing with them: {@code -Durma.record=true}. */
    public static boolean isRecording() {
        return Boolean.getBoolean("urma.record");
    }

    /**
     * Reads a golden file; while recording, the one that was just written.
     *
     * @param owner the test beside whose module's resources it lies
     * @param name of the file in the folder {@code golden}
     */
    public static List<Said> read(Class<?> owner, String name) throws IOException {
        try (InputStream file =
                isRecording() ? Files.newInputStream(source(name)) : owner.getResourceAsStream("/golden/" + name)) {
            if (file == null) {
                throw new IOException("there is no golden file " + name);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(Said::parse)
                    .toList();
        }
    }

    /** Writes a golden file among the sources of the module under test. */
    public static void write(String name, String heading, List<Said> conversation) throws IOException {
        Files.createDirectories(source(name).getParent());
        Files.writeString(
                source(name),
                conversation.stream().map(Said::line).collect(Collectors.joining("\n", "# " + heading + "\n", "\n")));
    }

    private static Path source(String name) {
        return Path.of(System.getProperty("basedir", ""), "src/test/resources/golden", name);
    }
}
