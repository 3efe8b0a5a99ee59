package io.urma4j;

import java.util.List;

/**
 * The unfinished work requests of {@link Jfs#quiesce}, once each, in posting order.
 *
 * @param results as {@code flush} would return them
 */
public record Quiesced(List<Completion> results) {
    public Quiesced {
        results = List.copyOf(results);
    }

    /** The requests that had started: all or parts of them may have been executed. */
    public List<Completion> mayHaveBeenExecuted() {
        return results.stream()
                .filter(result -> result.status() != CompletionStatus.WR_UNHANDLED)
                .toList();
    }

    /** The requests that never started: they changed no byte anywhere, and can be posted elsewhere. */
    public List<Completion> neverStarted() {
        return results.stream()
                .filter(result -> result.status() == CompletionStatus.WR_UNHANDLED)
                .toList();
    }
}
