package io.urma4j.udma.device;

import io.urma4j.udma.transport.Connection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * What a connection has counted.
 *
 * @param number the one that packets to it carry
 * @param isOpen whether it still sends
 * @param counters values by name, in the order to be shown; unmodifiable
 */
public record ConnectionStats(int number, boolean isOpen, SequencedMap<String, Long> counters) {
    public ConnectionStats {
        counters = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(counters));
    }

    static ConnectionStats of(int number, Connection connection) {
        SequencedMap<String, Long> counters = new LinkedHashMap<>();
        connection.forEachCounter(counters::put);
        return new ConnectionStats(number, connection.state() == Connection.State.OPEN, counters);
    }
}
