package io.urma4j.udma.command;

import java.util.List;

/**
 * The counters of a connection.
 *
 * @param number the one that packets to it carry
 * @param isOpen whether it still sends
 * @param counters in the order to be shown; unmodifiable
 */
public record ConnectionStats(int number, boolean isOpen, List<NamedCounter> counters) {
    public ConnectionStats {
        counters = List.copyOf(counters);
    }
}
