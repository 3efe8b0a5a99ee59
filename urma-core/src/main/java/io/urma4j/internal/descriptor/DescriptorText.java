package io.urma4j.internal.descriptor;

import io.urma4j.DescriptorException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * The text form of a descriptor: a prefix that tells the kind, and the binary form in base64url without padding.
 *
 * <p>There is exactly one text for a binary form, so that no changed character goes unseen. Messages never hold the
 * text, since it may hold a token (S1.3).
 */
public final class DescriptorText {
    /** Longest line that is looked at. */
    static final int MAX_CHARACTERS = 65_536;

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    private DescriptorText() {}

    /** The line of a binary form. */
    public static String write(DescriptorKind kind, byte[] binary) {
        return kind.prefix() + ENCODER.encodeToString(binary);
    }

    /** The binary form in a line of the wanted kind; blanks around it are ignored. */
    public static byte[] read(DescriptorKind wanted, String text) {
        if (text == null || text.isBlank()) {
            throw new DescriptorException("the line is empty");
        }
        if (text.length() > MAX_CHARACTERS) {
            throw new DescriptorException(
                    "the line has " + text.length() + " characters, more than the limit of " + MAX_CHARACTERS);
        }
        String line = text.strip();
        if (!line.startsWith(wanted.prefix())) {
            throw otherPrefix(wanted, line);
        }
        return decode(line, wanted.prefix().length());
    }

    private static DescriptorException otherPrefix(DescriptorKind wanted, String line) {
        return Arrays.stream(DescriptorKind.values())
                .filter(kind -> line.startsWith(kind.prefix()))
                .findFirst()
                .map(found -> new DescriptorException("the line is of a " + found.word + ", not of a " + wanted.word))
                .orElseGet(() -> new DescriptorException("the line does not begin with '" + wanted.prefix() + "'"));
    }

    private static byte[] decode(String line, int from) {
        for (int i = from; i < line.length(); i++) {
            if (!isBase64Url(line.charAt(i))) {
                throw new DescriptorException("character " + (i + 1) + " of the line is invalid");
            }
        }
        byte[] characters = line.substring(from).getBytes(StandardCharsets.ISO_8859_1);
        if (characters.length % 4 == 1) {
            throw new DescriptorException("the line is truncated, or one character too long");
        }
        byte[] binary = DECODER.decode(characters);
        if (!Arrays.equals(ENCODER.encode(binary), characters)) {
            // the last character has bits that no byte uses
            throw new DescriptorException("the last character of the line was changed");
        }
        return binary;
    }

    private static boolean isBase64Url(char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }
}
