package io.urma4j;

import java.util.List;

/**
 * How the revocation of a segment ended (S7.9).
 *
 * @param status COMPLETE: no importer touches the memory any more. QUARANTINED: the named importers neither answered
 *     nor are proven dead; the memory is kept out of use until they are gone.
 * @param importers who holds it in quarantine; empty when complete
 */
public record Revocation(Status status, List<String> importers) {
    public enum Status {
        COMPLETE,
        QUARANTINED
    }

    /** Nobody touches the memory any more. */
    public static final Revocation COMPLETED = new Revocation(Status.COMPLETE, List.of());

    public Revocation {
        importers = List.copyOf(importers);
    }

    public boolean isComplete() {
        return status == Status.COMPLETE;
    }
}
