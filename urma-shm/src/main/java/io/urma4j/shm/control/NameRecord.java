package io.urma4j.shm.control;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The content of a name's file: {@code urma4j 1 <address> <incarnation> <token id>}. The home provides the token. */
record NameRecord(PeerId home, int tokenId) {
    private static final Pattern LINE = Pattern.compile("urma4j 1 ([0-9a-f]{32}) ([0-9a-f]{1,16}) ([0-9]{1,8})");

    static Optional<NameRecord> parse(String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
            return Optional.empty();
        }
        PeerId home = new PeerId(parts.group(1), Long.parseUnsignedLong(parts.group(2), 16));
        return Optional.of(new NameRecord(home, Integer.parseInt(parts.group(3))));
    }

    String toLine() {
        return home.toLine() + " " + tokenId;
    }
}
