package io.urma4j.tools;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the standard streams lead to. */
public final class Terminal {
    private Terminal() {}

    /** Whether a person sees stderr as it is written. */
    public static boolean showsStderr() {
        return shows(2);
    }

    /** Whether a person sees stdout as it is written. */
    public static boolean showsStdout() {
        return shows(1);
    }

    private static boolean shows(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false; // no Linux: plain lines do no harm
        }
    }

    /**
     * How to write text to a stream that asks for {@code asked}. Under the locale C that is ASCII, though no terminal of
     * today is: then UTF-8, since a question mark in place of a µ helps nobody.
     */
    static Charset charset(Charset asked) {
        return asked.equals(StandardCharsets.US_ASCII) ? StandardCharsets.UTF_8 : asked;
    }
}
