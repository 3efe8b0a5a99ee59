package io.urma4j.buffer;

import io.urma4j.DescriptorException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a JSON text of limited length and depth, and refuses what RFC 8259 leaves open: names that occur twice, numbers beyond
 * 2^53, and escapes. A value is a {@code Map}, {@code List}, {@code String}, {@code Long}, or {@link #OTHER}.
 */
final class StrictJson {
    /** A value that no member of ours has: a fraction, a large number, a text with escapes, true, false or null. */
    static final Object OTHER = "other value".toCharArray();

    private static final int MOST_CHARACTERS = 16 << 10;
    private static final int MOST_DEPTH = 8;
    private static final int MOST_DIGITS = 16;
    private static final long MOST_EXACT = (1L << 53) - 1;

    private final String text;
    private int at;

    private StrictJson(String text) {
        this.text = text;
    }

    /**
     * The object that is all of {@code text}.
     *
     * @throws DescriptorException if it is none
     */
    static Map<String, Object> read(String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new DescriptorException(
                    "the JSON has " + text.length() + " characters, more than the limit of " + MOST_CHARACTERS);
        }
        StrictJson json = new StrictJson(text);
        json.skipBlanks();
        Map<String, Object> object = json.object(1);
        json.skipBlanks();
        if (json.at < text.length()) {
            throw json.wrong("the end");
        }
        return object;
    }

    private DescriptorException wrong(String expected) {
        return new DescriptorException("character " + (at + 1) + " of the JSON is wrong: expected " + expected);
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean isNext(char wanted) {
        skipBlanks();
        if (peek() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    private void need(char wanted) {
        if (!isNext(wanted)) {
            throw wrong("'" + wanted + "'");
        }
    }

    private Map<String, Object> object(int depth) {
        need('{');
        Map<String, Object> members = new LinkedHashMap<>();
        if (isNext('}')) {
            return members;
        }
        do {
            skipBlanks();
            int begun = at;
            if (!(string() instanceof String name)) {
                throw wrong("a name without escapes before this");
            }
            need(':');
            if (members.put(name, value(depth + 1)) != null) {
                throw new DescriptorException("the name at character " + (begun + 1) + " of the JSON occurs twice");
            }
        } while (isNext(','));
        need('}');
        return members;
    }

    private List<Object> array(int depth) {
        need('[');
        List<Object> elements = new ArrayList<>();
        if (isNext(']')) {
            return elements;
        }
        do {
            elements.add(value(depth + 1));
        } while (isNext(','));
        need(']');
        return elements;
    }

    private Object value(int depth) {
        if (depth > MOST_DEPTH) {
            throw wrong("a depth of at most " + MOST_DEPTH);
        }
        skipBlanks();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        };
    }

    private Object word(String word) {
        if (!text.startsWith(word, at)) {
            throw wrong("'" + word + "'");
        }
        at += word.length();
        return OTHER;
    }

    private Object string() {
        need('"');
        int begun = at;
        boolean hasEscapes = false;
        while (peek() != '"') {
            if (peek() < ' ') {
                throw wrong("'\"' or a printable character");
            }
            if (peek() == '\\') {
                hasEscapes = true;
                escape();
            } else {
                at++;
            }
        }
        Object string = hasEscapes ? OTHER : text.substring(begun, at);
        at++;
        return string;
    }

    private void escape() {
        at++;
        int digits = peek() == 'u' ? 4 : 0;
        if ("\"\\/bfnrtu".indexOf(peek()) < 0) {
            throw wrong("an escape");
        }
        at++;
        for (int i = 0; i < digits; i++) {
            if (Character.digit(peek(), 16) < 0 || peek() > 'f') {
                throw wrong("a hexadecimal digit");
            }
            at++;
        }
    }

    private Object number() {
        int begun = at;
        isNextSign("-");
        int first = at;
        digits();
        if (text.charAt(first) == '0' && at - first > 1) {
            throw wrong("a number without leading zeros before this");
        }
        boolean isInteger = text.charAt(begun) != '-';
        if (isNextSign(".")) {
            isInteger = false;
            digits();
        }
        if (isNextSign("eE")) {
            isInteger = false;
            isNextSign("+-");
            digits();
        }
        if (!isInteger || at - begun > MOST_DIGITS) {
            return OTHER;
        }
        long value = Long.parseLong(text, begun, at, 10);
        return value <= MOST_EXACT ? (Object) value : OTHER;
    }

    private boolean isNextSign(String signs) {
        boolean isThere = at < text.length() && signs.indexOf(peek()) >= 0;
        at += isThere ? 1 : 0;
        return isThere;
    }

    private void digits() {
        int begun = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (at == begun) {
            throw wrong("a digit");
        }
    }
}
