package io.urma4j;

import java.util.List;

/**
 * The result of an allocation.
 *
 * @param lengthBytes usable length, as requested
 * @param pageBytes size of the pages, as far as the provider knows
 * @param steps each fallback from the request, as text; empty if the request was met
 */
public record AllocReport(long lengthBytes, long pageBytes, List<String> steps) {
    public AllocReport {
        steps = List.copyOf(steps);
    }
}
