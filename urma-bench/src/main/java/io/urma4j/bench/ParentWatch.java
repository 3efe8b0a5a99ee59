package io.urma4j.bench;

import java.util.Optional;

/** Ends a process that another one has started to measure with: an orphan would spin forever, unnoticed. */
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
