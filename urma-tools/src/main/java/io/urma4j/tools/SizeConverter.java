package io.urma4j.tools;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a number of bytes: {@code 4096}, {@code 4K}, {@code 4KiB}, {@code 1M}, {@code 2GiB}. K, M, G and T are powers of
 * 1024, with and without {@code iB}; KB, MB, GB and TB are powers of 1000, as for {@code dd}.
 */
public final class SizeConverter implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,19})\\s?(?:([kmgt])(ib|b)?|b)?");

    @Override
    public Long convert(String text) {
        Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw refusal(text, "is not a number of bytes; write it as 4096, 4KiB, 256M or 1G");
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), factor(matcher));
        } catch (ArithmeticException | NumberFormatException e) {
            throw refusal(text, "is more than " + Long.MAX_VALUE + " bytes");
        }
    }

    private static long factor(Matcher matcher) {
        String letter = matcher.group(2);
        if (letter == null) {
            return 1;
        }
        long base = "b".equals(matcher.group(3)) ? 1000 : 1024;
        long factor = base;
        for (int power = "kmgt".indexOf(letter); power > 0; power--) {
            factor *= base;
        }
        return factor;
    }

    private static TypeConversionException refusal(String text, String reason) {
        return new TypeConversionException("'" + text + "' " + reason);
    }
}
