package io.urma4j.tools;

import io.urma4j.libc.TerminalSize;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The terminal of the standard streams. */
public final class Terminal {
    private Terminal() {}

    /** Whether stderr is a terminal. */
    public static boolean showsStderr() {
        return shows(2);
    }

    /** Whether stdout is a terminal. */
    public static boolean showsStdout() {
        return shows(1);
    }

    /**
     * The columns that a line of stdout may have: those of {@code COLUMNS} in the environment, as other commands do, else
     * those of the terminal. A file or a pipe has room for any line.
     */
    static int columns() {
        String asked = System.getenv("COLUMNS");
        if (asked != null && asked.matches("[1-9]\\d{0,4}")) {
            return Integer.parseInt(asked);
        }
        return TerminalSize.columns(1).orElse(Integer.MAX_VALUE);
    }

    private static boolean shows(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false; // not Linux: plain lines work everywhere
        }
    }

    /**
     * How to write text to a stream that asks for {@code asked}. The locale C asks for ASCII, which would turn a µ into
     * a question mark. Current terminals show UTF-8, so that is used instead.
     */
    static Charset charset(Charset asked) {
        return asked.equals(StandardCharsets.US_ASCII) ? StandardCharsets.UTF_8 : asked;
    }
}
