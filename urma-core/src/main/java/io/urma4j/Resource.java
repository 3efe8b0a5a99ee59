package io.urma4j;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * An object of a context, as {@link UrmaContext#inspect} shows it to other processes: for people, never with a token value.
 *
 * @param id number of the object, in order within its kind
 * @param fields values by URMA's column names, in display order; unmodifiable
 */
public record Resource(Kind kind, long id, SequencedMap<String, String> fields) {
    /** The kind of an object. */
    public enum Kind {
        /** The context itself, with sums over its queues. */
        CONTEXT,
        JFC,
        JFS,
        JFR,
        JETTY,
        JETTY_GROUP,
        /** A segment that the context registered. */
        SEG,
        /** A segment that the context imported. */
        IMPORT,
        /** A JFR or Jetty that the context imported. */
        TARGET,
        /** A transport path to a peer. */
        TP,
        /** The port of the context's device in its process, with what all contexts have sent and received. */
        PORT,
        /** The packets that the port has dropped, by reason. */
        DROPS,
        /** A work request that cannot proceed yet, and what it waits for. */
        WAIT,
        /** An asynchronous event that was raised, numbered in order. */
        EVENT,
        /** A pool of registered buffers. */
        POOL,
        /** The blocks of one size in a pool. */
        POOL_CLASS,
        /** A peer that has windows of a pool's buffers. */
        POOL_PEER,
        /** A connection of {@code urma-socket}. */
        SOCKET,
        /** A client of device memory in the context's library, with its counters; a library is shown by its first context alone. */
        PEER_CLIENT,
        /** A device of such a client. */
        PEER_DEVICE,
        /** A registration of device memory. */
        PEER_REGION,
        /** Latency of a stage since {@link UrmaContext#measure}, in microseconds. */
        PERF
    }

    public Resource {
        fields = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(fields));
    }

    /** A resource with these fields. */
    public static Builder builder(Kind kind, long id) {
        return new Builder(kind, id);
    }

    /** The value of a field; empty if there is none of that name. */
    public String field(String name) {
        return fields.getOrDefault(name, "");
    }

    /** Collects fields in order. */
    public static final class Builder {
        private final Kind kind;
        private final long id;
        private final SequencedMap<String, String> fields = new LinkedHashMap<>();

        private Builder(Kind kind, long id) {
            this.kind = kind;
            this.id = id;
        }

        public Builder add(String name, Object value) {
            fields.put(name, value.toString());
            return this;
        }

        /** Adds all counters under their names. */
        public Builder add(Counters counters) {
            counters.asMap().forEach(this::add);
            return this;
        }

        public Resource build() {
            return new Resource(kind, id, fields);
        }
    }
}
