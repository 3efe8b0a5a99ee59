package io.urma4j;

import java.util.List;

/**
 * What {@link Jfs#quiesce} found unfinished: each work request once, in the order of posting.
 *
 * @param results as {@code flush} would return them
 */
public record Quiesced(List<Completion> results) {
    public Quiesced {
        results = List.copyOf(results);
    }

    /** Those that had been started: some of them, or parts of them, may have been executed. */
    public List<Completion> mayHaveBeenExecuted() {
        return results.stream()
                .filter(result -> result.status() != CompletionStatus.WR_UNHANDLED)
                .toList();
    }

    /** Those that were never started: they changed no byte anywhere, and can be posted elsewhere. */
    public List<Completion> neverStarted() {
        return results.stream()
                .filter(result -> result.status() == CompletionStatus.WR_UNHANDLED)
                .toList();
    }
}
