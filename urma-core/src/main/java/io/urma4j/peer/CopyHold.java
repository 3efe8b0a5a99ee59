package io.urma4j.peer;

import org.jspecify.annotations.Nullable;

/** The place of a copy among the {@link CopiesInFlight} of a region, whose lock guards all fields but {@code region}. */
final class CopyHold {
    final Copy copy;

    /** Changed only by the thread that starts or ends the copy. */
    @Nullable
    CopiesInFlight region;

    @Nullable
    CopyStream stream;

    @Nullable
    CopyHold previous;

    @Nullable
    CopyHold next;

    CopyHold(Copy copy) {
        this.copy = copy;
    }

    /** The copy has ended, or was not started after all. */
    void release() {
        CopiesInFlight held = region;
        if (held != null) {
            region = null;
            held.end(this);
        }
    }
}
