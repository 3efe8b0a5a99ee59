package io.urma4j;

import java.util.List;

/**
 * What an allocation got.
 *
 * @param lengthBytes usable length, as asked
 * @param pageBytes size of the pages behind it, as far as the provider can tell
 * @param steps each step down from what was asked, in words; empty when everything was given
 */
public record AllocReport(long lengthBytes, long pageBytes, List<String> steps) {
    public AllocReport {
        steps = List.copyOf(steps);
    }
}
