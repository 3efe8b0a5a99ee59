package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.tools.CommandFailure;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The selection of a process. */
final class ProcessChoice {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PID",
            description = "Process id; default: all urma4j processes of this user.")
    private @Nullable Long pid;

    OptionalLong pid() {
        return pid == null ? OptionalLong.empty() : OptionalLong.of(pid);
    }

    /** The contexts of the selected process. */
    List<Sight.Seen> of(List<Sight.Seen> seen) {
        return seen.stream()
                .map(one -> new Sight.Seen(
                        one.device(),
                        one.contexts().stream().filter(this::isMeant).toList()))
                .toList();
    }

    private boolean isMeant(ContextView context) {
        return pid == null || context.process().equals("pid " + pid);
    }

    /** Fails if a process was named and is absent. Without a name, an empty list is no failure. */
    void requireNamed(List<Sight.Seen> seen) {
        if (pid != null) {
            requireAny(seen);
        }
    }

    /** Fails where no process has a context open. */
    void requireAny(List<Sight.Seen> seen) {
        if (seen.stream().allMatch(one -> one.contexts().isEmpty())) {
            throw new CommandFailure(
                    pid == null
                            ? EmptyNotice.NO_PROCESS
                            : "process " + pid + " has no context open, or is another user's");
        }
    }
}
