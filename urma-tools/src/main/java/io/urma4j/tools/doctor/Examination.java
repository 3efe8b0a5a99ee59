package io.urma4j.tools.doctor;

import io.urma4j.libc.LibcException;
import java.io.IOException;
import java.util.List;

/** A group of checks. */
interface Examination {
    /** Looks. */
    List<Finding> findings();

    /** A look that may fail. */
    interface Look {
        Finding look() throws IOException;
    }

    /** What {@code look} finds; a failure of the look itself is a finding, too. */
    static Finding guarded(String name, String adviceOnFailure, Look look) {
        try {
            return look.look();
        } catch (IOException | LibcException | UnsupportedOperationException e) {
            return Finding.fail(name, String.valueOf(e.getMessage()), adviceOnFailure);
        }
    }
}
