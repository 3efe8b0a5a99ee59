package io.urma4j.simulation;

import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A readable log of all events: virtual time in milliseconds, component, event. */
final class Trace {
    private final @Nullable Consumer<String> lines;
    private final VirtualTime time;

    /**
     * Without lines nothing is formatted. A caller with a long text first asks whether the trace {@linkplain #isOn is
     * on}.
     */
    Trace(@Nullable Consumer<String> lines, VirtualTime time) {
        this.lines = lines;
        this.time = time;
    }

    boolean isOn() {
        return lines != null;
    }

    @SuppressWarnings("AnnotateFormatMethod") // a library for one annotation is too much
    void say(String who, String format, Object... values) {
        if (lines != null) {
            String what = values.length == 0 ? format : format.formatted(values);
            lines.accept(String.format(Locale.ROOT, "%12.6f  %-6s %s", time.now() / 1e6, who, what));
        }
    }
}
