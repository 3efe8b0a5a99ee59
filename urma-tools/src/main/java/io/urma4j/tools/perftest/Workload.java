package io.urma4j.tools.perftest;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The eight tests: an operation, and whether its latency or its bandwidth is measured. */
enum Workload {
    READ_LAT(Kind.READ, true),
    WRITE_LAT(Kind.WRITE, true),
    SEND_LAT(Kind.SEND, true),
    ATOMIC_LAT(Kind.ATOMIC, true),
    READ_BW(Kind.READ, false),
    WRITE_BW(Kind.WRITE, false),
    SEND_BW(Kind.SEND, false),
    ATOMIC_BW(Kind.ATOMIC, false);

    /** The kind of operation. */
    enum Kind {
        READ,
        WRITE,
        SEND,
        ATOMIC
    }

    private final Kind kind;
    private final boolean latency;

    Workload(Kind kind, boolean latency) {
        this.kind = kind;
        this.latency = latency;
    }

    Kind kind() {
        return kind;
    }

    /** Whether latency is measured; else bandwidth. */
    boolean isLatency() {
        return latency;
    }

    /** Whether both sides take turns, and half of the round trip counts; else only the initiator acts. */
    boolean isPingPong() {
        return latency && (kind == Kind.WRITE || kind == Kind.SEND);
    }

    /** The name on the command line: {@code write_lat}. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Workload> of(String word) {
        return Arrays.stream(values())
                .filter(workload -> workload.word().equals(word))
                .findFirst();
    }

    static String words() {
        return Arrays.stream(values()).map(Workload::word).collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
        return word();
    }
}
