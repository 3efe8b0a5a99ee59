package io.urma4j.tools;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * A message between processes of one command: a verb and named values, as one line of text. It is sent on stdin, stdout
 * or a socket, never as an argument, since values may be tokens.
 */
public record Line(String verb, SequencedMap<String, String> values) {
    /** Begins each line, and distinguishes it from what a JVM prints by itself. */
    private static final String MARK = "urma4j: ";

    /** The answer of success. */
    public static final String OK = "ok";

    /** The answer of failure; its value {@code message} says why. */
    public static final String FAILED = "failed";

    /** The number of the request that an answer belongs to. */
    public static final String REQUEST = "request";

    /** Before the answer: the progress of the step, as {@code done} of {@code whole}. */
    public static final String PROGRESS = "progress";

    /** Before the answer: one row of the figures. */
    public static final String FIGURES = "figures";

    public static Line of(String verb) {
        return new Line(verb, new LinkedHashMap<>());
    }

    /** Adds a value. */
    public Line with(String name, Object value) {
        values.put(name, value.toString());
        return this;
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new CommandFailure("'" + verb + "' came without '" + name + "'");
        }
        return value;
    }

    public long number(String name) {
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException e) {
            throw new CommandFailure("'" + verb + "' came with a '" + name + "' that is no number", e);
        }
    }

    public double fraction(String name) {
        return Double.parseDouble(text(name));
    }

    /** One line without its end: {@code urma4j: verb name=value name=value}. */
    public String encode() {
        StringBuilder line = new StringBuilder(MARK).append(verb);
        values.forEach((name, value) ->
                line.append(' ').append(name).append('=').append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return line.toString();
    }

    /** Whether {@link #encode} made this text. */
    public static boolean isLine(String text) {
        return text.startsWith(MARK);
    }

    public static Line decode(String text) {
        String[] words = text.substring(MARK.length()).split(" ", -1);
        Line line = Line.of(words[0]);
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals < 0) {
                throw new CommandFailure("unexpected output of the other process: " + words[0]);
            }
            line.with(
                    words[i].substring(0, equals),
                    URLDecoder.decode(words[i].substring(equals + 1), StandardCharsets.UTF_8));
        }
        return line;
    }

    /** Verb and names alone: values may be tokens. */
    @Override
    public String toString() {
        return "Line[" + verb + " " + values.keySet() + "]";
    }
}
