package io.urma4j.bench.gpu;

/** A part cannot run here; the message is the reason. */
final class SkippedException extends Exception {
    private static final long serialVersionUID = 1;

    SkippedException(String reason) {
        super(reason);
    }
}
