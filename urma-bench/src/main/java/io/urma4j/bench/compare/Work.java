package io.urma4j.bench.compare;

/** What a peer is asked to do. Every time is in nanoseconds. */
public enum Work {
    /** A write by one process until the other sees it: half a round trip. */
    WRITE_SEEN,
    /** Writes, many in flight: time per operation. */
    WRITE_RATE,
    /** One read at a time, each awaited: time per operation. */
    READ,
    /** Reads, many in flight: time per operation. */
    READ_RATE,
    /** One fetch-and-add at a time. */
    FADD,
    /** One compare-and-swap at a time. */
    CAS,
    /** A message until the other process has it: half a round trip, also as percentiles. */
    SEND_LATENCY,
    /** Messages, many in flight, all received: time per message. */
    SEND_RATE,
    /** A message to a process that sleeps, until its thread runs: half a round trip of sleepers, or one way. */
    WAKE,
    /** Messages at {@link Task#perSecond}, each returned: the round trip from when it was meant to begin. */
    AT_RATE,
    /** From nothing to a first message received, both processes running. */
    CONNECT;

    /** The same in words. */
    String words(String size) {
        return switch (this) {
            case WRITE_SEEN -> "WRITE " + size + " until the other process sees it";
            case WRITE_RATE -> "WRITE " + size + ", many in flight";
            case READ -> "READ " + size + ", one at a time";
            case READ_RATE -> "READ " + size + ", many in flight";
            case FADD -> "FADD " + size + ", one at a time";
            case CAS -> "CAS " + size + ", one at a time";
            case SEND_LATENCY -> "message " + size + ", half a round trip";
            case SEND_RATE -> "messages " + size + ", many in flight";
            case WAKE -> "message " + size + " to a process that sleeps";
            case AT_RATE -> "messages " + size + " at one rate, round trip from when each was due";
            case CONNECT -> "from nothing to the first message";
        };
    }
}
