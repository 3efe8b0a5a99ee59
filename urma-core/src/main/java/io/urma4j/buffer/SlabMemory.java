package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a slab.
 *
 * @param memory zeroed
 * @param registrations of exactly this memory, one for each context of the pool
 * @param exportable the most access that peers may be granted; LOCAL_ONLY for none
 * @param scoped the memory in a given arena, for pools whose leases have arenas; null for others
 * @param imported whether peers import it, so that its end waits for their answers
 * @param free ends the registrations and frees the memory; may be run again after a failure
 */
record SlabMemory(
        MemorySegment memory,
        List<LocalSegment> registrations,
        Access exportable,
        @Nullable Function<Arena, MemorySegment> scoped,
        BooleanSupplier imported,
        Runnable free) {

    /** Whether a work request names it. */
    boolean isInUse() {
        return Registrations.unfinished(registrations) > 0;
    }

    /** Whether peers import it: then no thread that must not wait frees it. */
    boolean isImported() {
        return imported.getAsBoolean();
    }
}
