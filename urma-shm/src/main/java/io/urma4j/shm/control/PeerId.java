package io.urma4j.shm.control;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of a peer context, and the content of its lock file: {@code urma4j 1 <address> <incarnation>}.
 *
 * @param address name of its socket in the runtime directory, never reused
 * @param incarnation of the context (S1.5)
 */
public record PeerId(String address, long incarnation) {
    private static final Pattern ADDRESS = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern LINE = Pattern.compile("urma4j 1 ([0-9a-f]{32}) ([0-9a-f]{1,16})");

    /** Whether a text is the name of a context's socket, without a path. */
    static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    static Optional<PeerId> parse(String line) {
        Matcher parts = LINE.matcher(line);
        return parts.matches()
                ? Optional.of(new PeerId(parts.group(1), Long.parseUnsignedLong(parts.group(2), 16)))
                : Optional.empty();
    }

    String toLine() {
        return "urma4j 1 " + address + " " + Long.toHexString(incarnation);
    }
}
