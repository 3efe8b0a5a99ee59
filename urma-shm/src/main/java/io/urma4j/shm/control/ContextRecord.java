package io.urma4j.shm.control;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The content of a context's lock file: {@code urma4j 1 <address> <incarnation>}. */
record ContextRecord(String address, long incarnation) {
    private static final Pattern ADDRESS = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern LINE = Pattern.compile("urma4j 1 ([0-9a-f]{32}) ([0-9a-f]{1,16})");

    /** Whether a text is the name of a context's socket, without a path. */
    static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    static Optional<ContextRecord> parse(String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
            return Optional.empty();
        }
        return Optional.of(new ContextRecord(parts.group(1), Long.parseUnsignedLong(parts.group(2), 16)));
    }

    String toLine() {
        return "urma4j 1 " + address + " " + Long.toHexString(incarnation);
    }
}
