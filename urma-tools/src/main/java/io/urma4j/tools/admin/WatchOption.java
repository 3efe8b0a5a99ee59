package io.urma4j.tools.admin;

import io.urma4j.tools.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether a view is refreshed periodically. */
final class WatchOption {
    /** Moves the cursor home, and clears the screen. */
    static final String CLEAR = "\033[H\033[2J";

    @Option(
            names = "--watch",
            paramLabel = "SECONDS",
            arity = "0..1",
            fallbackValue = "2",
            description = "Repeat every SECONDS, 2 by default, until Ctrl-C.")
    private @Nullable Double seconds;

    /** A view that prints itself. */
    interface View {
        void print() throws InterruptedException;
    }

    /** Whether the view is shown more than once. */
    boolean isAsked() {
        return seconds != null;
    }

    /** Prints the view, once or until Ctrl-C. */
    void run(PrintWriter out, View view) throws InterruptedException {
        if (seconds == null) {
            view.print();
            return;
        }
        Duration pause = Duration.ofMillis(Math.max(50, (long) (seconds * 1000)));
        boolean terminal = Terminal.showsStdout();
        try {
            while (true) {
                if (terminal) {
                    out.print(CLEAR);
                }
                view.print();
                Thread.sleep(pause);
                if (!terminal) {
                    out.println();
                }
            }
        } catch (InterruptedException e) {
            out.flush(); // Ctrl-C is the way to end it
        }
    }
}
