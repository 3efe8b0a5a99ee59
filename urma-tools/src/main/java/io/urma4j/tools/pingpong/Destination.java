package io.urma4j.tools.pingpong;

import io.urma4j.Eid;
import io.urma4j.tools.CommandFailure;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of one side, as these programs exchange it (WIRE §12.1): 51 characters and a zero.
 *
 * @param queue number of the queue, 24 bits
 * @param psn the first PSN that it sends, 24 bits
 * @param gid its address
 */
record Destination(int queue, int psn, Eid gid) {
    /** Length of the text with its zero. */
    static final int BYTES = 52;

    private static final Pattern FORM =
            Pattern.compile("([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{32})", Pattern.CASE_INSENSITIVE);
    private static final String NO_LID = "0000"; // the address in an InfiniBand subnet, which Ethernet does not have

    /** The bytes sent over TCP. */
    byte[] toBytes() {
        String text = String.format("%s:%06x:%06x:%016x%016x\0", NO_LID, queue, psn, gid.high(), gid.low());
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Parses the bytes received over TCP.
     *
     * @throws CommandFailure when they are no such address
     */
    static Destination parse(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.US_ASCII);
        int end = text.indexOf('\0');
        Matcher matcher = FORM.matcher(end < 0 ? text : text.substring(0, end));
        if (bytes.length != BYTES || end != BYTES - 1 || !matcher.matches()) {
            throw new CommandFailure("the peer's address '" + printable(text) + "' is not of the form"
                    + " LID:QPN:PSN:GID that ibv_rc_pingpong and its like use");
        }
        Eid gid = new Eid(
                Long.parseUnsignedLong(matcher.group(4).substring(0, 16), 16),
                Long.parseUnsignedLong(matcher.group(4).substring(16), 16));
        if (gid.isZero()) {
            throw new CommandFailure("the peer has no GID: start it with -g, since RoCE has no other address");
        }
        return new Destination(Integer.parseInt(matcher.group(2), 16), Integer.parseInt(matcher.group(3), 16), gid);
    }

    private static String printable(String text) {
        return text.replaceAll("[^ -~]", "?");
    }

    /** As the programs of Linux print it. */
    @Override
    public String toString() {
        return String.format("LID 0x0000, QPN 0x%06x, PSN 0x%06x, GID %s", queue, psn, gid);
    }
}
