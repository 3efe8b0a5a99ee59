package io.urma4j.tools.admin;

import java.io.PrintWriter;
import java.util.List;

/** Prints on stderr, once, that there is nothing to show yet: the same for all list commands, with exit code 0. */
final class EmptyNotice {
    static final String NO_PROCESS = "no process of this user has a context open";

    private final PrintWriter err;
    private final boolean waits;
    private boolean said;

    /** @param waits whether the command waits until there is something */
    EmptyNotice(PrintWriter err, boolean waits) {
        this.err = err;
        this.waits = waits;
    }

    /** Prints that no process is there, if so. */
    void check(List<Sight.Seen> seen) {
        check(seen, NO_PROCESS);
    }

    void check(List<Sight.Seen> seen, String reason) {
        if (seen.stream().allMatch(one -> one.contexts().isEmpty())) {
            say(reason);
        }
    }

    void say(String reason) {
        if (!said) {
            said = true;
            err.println("urma: " + reason + (waits ? "; waiting, Ctrl-C ends it" : ""));
            err.flush();
        }
    }
}
