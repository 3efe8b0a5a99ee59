package io.urma4j;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * What an object has counted so far, by name, in the order in which a person wants to read it. Names are stable and end
 * in their unit where it is not a number of things. A snapshot: values are read one by one, not at one instant.
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
     * The value with this name.
     *
     * @throws IllegalArgumentException naming the ones that exist
     */
    public long get(String name) {
        Long value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no counter '" + name + "'; there are " + values.keySet());
        }
        return value;
    }

    /** All of them; unmodifiable. */
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
