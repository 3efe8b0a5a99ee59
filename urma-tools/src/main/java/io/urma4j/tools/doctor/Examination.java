package io.urma4j.tools.doctor;

import io.urma4j.libc.LibcException;
import java.io.IOException;
import java.util.List;

/** A group of checks. */
interface Examination {
    /** Runs the checks. */
    List<Finding> findings();

    /** A check that may throw. */
    interface Look {
        Finding look() throws IOException;
    }

    /** Runs {@code look}; an exception of the check is a finding, too. */
    static Finding guarded(String name, String adviceOnFailure, Look look) {
        try {
            return look.look();
        } catch (IOException | LibcException | UnsupportedOperationException e) {
            return Finding.fail(name, String.valueOf(e.getMessage()), adviceOnFailure);
        }
    }
}
