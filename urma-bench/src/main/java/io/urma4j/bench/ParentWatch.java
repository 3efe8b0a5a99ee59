package io.urma4j.bench;

import java.util.Optional;

/** A process that another one has started to measure with. Without that one it would spin for ever, and nobody look for it. */
public final class ParentWatch {
    private ParentWatch() {}

    /** Has this process end when the one ends that has started it, even by SIGKILL. */
    public static void endWithParent() {
        Optional<ProcessHandle> parent = ProcessHandle.current().parent();
        if (parent.isPresent()) {
            var _ = parent.get().onExit().thenRun(() -> Runtime.getRuntime().halt(1));
        }
    }
}
