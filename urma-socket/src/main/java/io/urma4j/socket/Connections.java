package io.urma4j.socket;

import io.urma4j.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** The connections of a process, for {@code urma sockets}. One that the program has lost leaves by itself. Safe for any thread. */
final class Connections {
    private final Map<UrmaSocketChannel, Long> numbers = new WeakHashMap<>(); // as the one below guarded by this
    private long last;

    synchronized void add(UrmaSocketChannel channel) {
        numbers.putIfAbsent(channel, ++last);
    }

    synchronized void remove(UrmaSocketChannel channel) {
        numbers.remove(channel);
    }

    List<Resource> resources() {
        Map<UrmaSocketChannel, Long> now;
        synchronized (this) {
            now = Map.copyOf(numbers);
        }
        List<Resource> rows = new ArrayList<>();
        now.forEach((channel, number) -> channel.describe(number).ifPresent(rows::add));
        return rows;
    }

    @Override
    public synchronized String toString() {
        return numbers.size() + " connections";
    }
}
