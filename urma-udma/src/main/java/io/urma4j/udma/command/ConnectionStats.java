package io.urma4j.udma.command;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * The counters of a connection.
 *
 * @param number the one that packets to it carry
 * @param isOpen whether it still sends
 * @param counters values by name, in the order to be shown; unmodifiable
 */
public record ConnectionStats(int number, boolean isOpen, SequencedMap<String, Long> counters) {
    public ConnectionStats {
        counters = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(counters));
    }
}
