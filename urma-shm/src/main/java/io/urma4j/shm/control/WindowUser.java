package io.urma4j.shm.control;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The context that may use a window, as the home sees it: by one of its imports, or by its identity. For any thread. */
interface WindowUser {
    /** The import number of the keys of its windows. */
    long number();

    /** Number of the window slots that its version knows. */
    int slots();

    /** Whether it has no access to the segment, and so has no operation on its windows. */
    boolean hasEnded();

    /** Its operation counters of a table; null while it has not opened that. */
    @Nullable
    MemorySegment operations(int table);
}
