package io.urma4j.simulation;

/** A broken rule: what happened, and where. The caller that runs the simulation adds the seed. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String what) {
        super(what);
    }

    private Violation(String what, Throwable cause) {
        super(what, cause);
    }

    /** For an exception: no code under simulation may throw one. */
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
