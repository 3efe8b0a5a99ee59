package io.urma4j;

import java.util.List;

/**
 * The result of revoking a segment (S7.9).
 *
 * @param status COMPLETE: no importer touches the memory any more. QUARANTINED: the named importers neither answered nor
 *     are proven dead; the memory stays out of use until they are gone.
 * @param importers that still hold the segment in quarantine; empty if complete. A rotation (S7.5) of a segment of device memory
 *     also names a copy that its device has not ended.
 */
public record Revocation(Status status, List<String> importers) {
    public enum Status {
        COMPLETE,
        QUARANTINED
    }

    /** Whether no importer touches the memory any more. */
    public static final Revocation COMPLETED = new Revocation(Status.COMPLETE, List.of());

    public Revocation {
        importers = List.copyOf(importers);
    }

    public boolean isComplete() {
        return status == Status.COMPLETE;
    }
}
