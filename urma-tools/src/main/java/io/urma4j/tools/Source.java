package io.urma4j.tools;

import io.urma4j.Access;
import io.urma4j.Endpoint;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Whose memory a command works on: a share line on standard input ({@code -}) or in a file ({@code @FILE}), or a
 * published name ({@code shm:NAME}). Never the line itself: it holds the token, and every user of the machine can read
 * the arguments of a process.
 */
sealed interface Source {
    /** A share line has a few hundred bytes; longer input is something else. */
    int MAX_LINE_BYTES = 16 * 1024;

    String LABEL = "SOURCE";

    String DESCRIPTION = "Whose memory: '-' reads the line of 'urma share' from standard input, '@FILE' from a file;"
            + " 'shm:NAME' is a published name. The line itself is refused as an argument, since it holds the"
            + " secret and 'ps' shows arguments to everybody.";

    Pattern NAME = Pattern.compile("([a-z][a-z0-9-]{0,31}):([A-Za-z0-9_][A-Za-z0-9._-]{0,254})");

    /** The share line is read from standard input. */
    record StandardInput() implements Source {}

    /** The share line is read from a file. */
    record LineFile(Path path) implements Source {}

    /** No share line: the home has published the segment under a name. */
    record Name(String kind, String name) implements Source {}

    /** Reads the argument. */
    final class Converter implements ITypeConverter<Source> {
        @Override
        public Source convert(String text) {
            if (text.equals("-")) {
                return new StandardInput();
            }
            if (text.startsWith("@") && text.length() > 1) {
                return new LineFile(Path.of(text.substring(1)));
            }
            if (looksLikeLine(text)) {
                throw new TypeConversionException(
                        "a share line is not allowed as an argument: it holds the secret, and 'ps' shows"
                                + " arguments to every user; pass it on standard input as '-', or in a file as '@FILE'");
            }
            Matcher name = NAME.matcher(text);
            if (name.matches()) {
                return new Name(name.group(1), name.group(2));
            }
            throw new TypeConversionException(
                    "'" + text + "' is no source; it is '-' (the line of 'urma share' on standard input),"
                            + " '@FILE' (a file that holds the line), or a published name as in 'shm:orders'");
        }
    }

    /** Whether {@code text} is a share line, or a damaged one. */
    static boolean looksLikeLine(String text) {
        return text.startsWith("urma4j")
                || (text.length() > 100 && !NAME.matcher(text).matches());
    }

    /** {@code message} without the arguments that look like a share line. */
    static String withoutLines(String message, List<String> arguments) {
        String hidden = message;
        for (String argument : arguments) {
            if (looksLikeLine(argument)) {
                hidden = hidden.replace(argument, "(a share line)");
            }
        }
        return hidden;
    }

    /** Opens a session on the device that reaches it, or on the one that was asked for, and finds the segment. */
    default Found find(DeviceOption device, InputStream stdin) throws IOException {
        return switch (this) {
            case StandardInput() -> found(firstLine(stdin, "standard input"), device);
            case LineFile(Path path) -> {
                if (Files.isDirectory(path)) { // a directory can be opened, and fails only on read, without its name
                    throw new CommandFailure("file '" + path + "' is a directory");
                }
                try (InputStream file = Files.newInputStream(path)) {
                    yield found(firstLine(file, path.toString()), device);
                }
            }
            case Name(String kind, String name) -> {
                Session session = open(device, List.of(kind));
                try {
                    yield new Found(session, session.context().lookup(name));
                } catch (RuntimeException e) {
                    session.close();
                    throw e;
                }
            }
        };
    }

    /** A segment, and the session to import it with. */
    record Found(Session session, SharedSegment shared) implements AutoCloseable {
        /** Imports it with no more access than the command needs; refused when its home does not give that. */
        RemoteSegment importAs(Access access, String command) {
            Access granted = shared.descriptor().access();
            if (!granted.covers(access)) {
                String needed = AccessConverter.letters(access);
                throw new CommandFailure("the segment is shared as " + AccessConverter.letters(granted) + ", and "
                        + command + " needs " + needed + ": share it with --access " + needed);
            }
            return session.context().importSegment(shared.descriptor(), shared.token(), access);
        }

        @Override
        public void close() {
            session.close();
        }
    }

    private static Found found(String line, DeviceOption device) {
        SharedSegment shared = SharedSegment.parse(line); // before anything is opened: it may be damaged
        List<String> kinds = shared.descriptor().endpoints().stream()
                .map(Endpoint::kind)
                .distinct()
                .toList();
        return new Found(open(device, kinds), shared);
    }

    private static Session open(DeviceOption device, List<String> kinds) {
        return device.name() == null ? Session.openKind(kinds) : Session.open(device.name());
    }

    /** Up to the line end, not further: {@code urma share F | urma fetch -} never sees the end of its input. */
    private static String firstLine(InputStream in, String where) throws IOException {
        byte[] bytes = new byte[MAX_LINE_BYTES];
        int length = 0;
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (length == bytes.length) {
                throw new CommandFailure(
                        where + " holds no share line: its first line is longer than " + MAX_LINE_BYTES + " bytes");
            }
            bytes[length++] = (byte) next;
        }
        String line = new String(bytes, 0, length, StandardCharsets.ISO_8859_1).strip();
        if (line.isEmpty()) {
            throw new CommandFailure(where + " holds no share line: it is empty; 'urma share' prints one");
        }
        return line;
    }
}
