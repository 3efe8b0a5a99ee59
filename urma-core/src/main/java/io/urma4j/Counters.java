package io.urma4j;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * The counters of an object by name, in display order. Names are stable; a name ends in its unit unless it counts things. A
 * snapshot reads the values one by one, not at one instant.
 */
public final class Counters {
    private final SequencedMap<String, Long> values;

    private Counters(SequencedMap<String, Long> values) {
        this.values = values;
    }

    /** Starts a snapshot. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The value of a counter.
     *
     * @throws IllegalArgumentException if there is none of that name; lists the existing names
     */
    public long get(String name) {
        Long value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no counter '" + name + "'; there are " + values.keySet());
        }
        return value;
    }

    /** All counters; unmodifiable. */
    public Map<String, Long> asMap() {
        return Collections.unmodifiableMap(values);
    }

    @Override
    public String toString() {
        return values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    /** Collects values in order. */
    public static final class Builder {
        private final SequencedMap<String, Long> values = new LinkedHashMap<>();

        private Builder() {}

        public Builder add(String name, long value) {
            values.put(name, value);
            return this;
        }

        public Counters build() {
            return new Counters(new LinkedHashMap<>(values));
        }
    }
}
