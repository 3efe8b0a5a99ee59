package io.urma4j.simulation;

/** Something happened that must not: what, when, and to whom. The seed is told by whoever runs the simulation. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String what) {
        super(what);
    }

    private Violation(String what, Throwable cause) {
        super(what, cause);
    }

    /** Somebody has thrown, which nobody may. */
    static Violation of(Throwable thrown) {
        StackTraceElement[] stack = thrown.getStackTrace();
        String where = stack.length == 0 ? "nowhere" : stack[0].toString();
        return new Violation("%s at %s".formatted(thrown, where), thrown);
    }

    @SuppressWarnings("AnnotateFormatMethod") // a library for one annotation is too much
    static Violation of(String format, Object... values) {
        return new Violation(format.formatted(values));
    }
}
