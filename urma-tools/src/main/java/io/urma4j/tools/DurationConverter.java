package io.urma4j.tools;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a time: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}. */
final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Duration LONGEST = Duration.ofDays(36_500); // its nanoseconds fit into a long

    @Override
    public Duration convert(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is not a time; write it as 500ms, 30s, 5m or 2h");
        }
        Duration time = time(Long.parseLong(matcher.group(1)), matcher.group(2));
        if (time.compareTo(LONGEST) > 0) {
            throw new TypeConversionException("'" + text + "' is more than " + LONGEST.toHours() + "h");
        }
        return time;
    }

    private static Duration time(long number, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }
}
