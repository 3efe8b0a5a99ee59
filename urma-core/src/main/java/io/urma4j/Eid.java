package io.urma4j;

import io.urma4j.internal.Checks;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint of the network: 16 bytes, written as an IPv6 address. An IPv4 address is {@code ::ffff:a.b.c.d}.
 *
 * @param high the first eight bytes, big-endian
 * @param low the last eight bytes, big-endian
 */
public record Eid(long high, long low) {
    /** Length of its binary form. */
    public static final int BYTES = 16;

    /** The zero EID; never a target. */
    public static final Eid ZERO = new Eid(0, 0);

    private static final long IPV4_PREFIX = 0xFFFF_0000_0000L;
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    private static final Pattern HEX = Pattern.compile("0[xX]([0-9a-fA-F]{1,8}|[0-9a-fA-F]{32})");

    /** The EID of an IPv4 address given as four bytes in one number. */
    public static Eid ofIpv4(int address) {
        return new Eid(0, IPV4_PREFIX | (address & 0xFFFF_FFFFL));
    }

    /** The EID of an IP address. */
    public static Eid of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.capacity() == Integer.BYTES ? ofIpv4(bytes.getInt()) : new Eid(bytes.getLong(), bytes.getLong());
    }

    /**
     * Parses IPv6 text, dotted IPv4, or {@code 0x} with up to 8 digits (an IPv4 address) or exactly 32 (all 16 bytes).
     *
     * @throws UrmaException EINVAL for anything else, including null, empty text and bare numbers (S1.1)
     */
    public static Eid parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            throw invalid(text, "is empty");
        }
        if (HEX.matcher(text).matches()) {
            return parseHex(text.substring(2));
        }
        if (!IPV4.matcher(text).matches() && !IPV6.matcher(text).matches()) {
            throw invalid(text, "is neither an IPv6 nor a dotted IPv4 address, nor 0x with 1…8 or 32 digits");
        }
        try {
            return of(text.indexOf(':') >= 0 ? Inet6Address.ofLiteral(text) : Inet4Address.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            throw invalid(text, "is not an address: " + e.getMessage());
        }
    }

    private static Eid parseHex(String digits) {
        if (digits.length() <= 8) {
            return ofIpv4(Integer.parseUnsignedInt(digits, 16));
        }
        return new Eid(
                Long.parseUnsignedLong(digits.substring(0, 16), 16), Long.parseUnsignedLong(digits.substring(16), 16));
    }

    public boolean isZero() {
        return (high | low) == 0;
    }

    /** Whether this is the EID of an IPv4 address. */
    public boolean isIpv4() {
        return high == 0 && (low >>> 32) == 0xFFFF;
    }

    /** IPv6 text in its canonical short form (RFC 5952), or {@code ::ffff:a.b.c.d}. */
    @Override
    public String toString() {
        if (isIpv4()) {
            return "::ffff:" + (low >>> 24 & 255) + "." + (low >>> 16 & 255) + "." + (low >>> 8 & 255) + "."
                    + (low & 255);
        }
        return ipv6Text();
    }

    private String ipv6Text() {
        int runStart = -1;
        int runLength = 1; // a single zero group is not shortened
        for (int start = 0; start < 8; start++) {
            int length = zeroGroupsFrom(start);
            if (length > runLength) {
                runStart = start;
                runLength = length;
            }
        }
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            if (i == runStart) {
                text.append("::");
                i += runLength - 1;
            } else {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(group(i)));
            }
        }
        return text.toString();
    }

    private int zeroGroupsFrom(int start) {
        int end = start;
        while (end < 8 && group(end) == 0) {
            end++;
        }
        return end - start;
    }

    private int group(int index) {
        long half = index < 4 ? high : low;
        return (int) (half >>> (48 - 16 * (index & 3))) & 0xFFFF;
    }

    private static UrmaException invalid(@Nullable String text, String why) {
        return Checks.invalid("EID", "'" + text + "' " + why);
    }
}
