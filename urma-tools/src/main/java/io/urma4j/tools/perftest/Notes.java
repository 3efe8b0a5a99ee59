package io.urma4j.tools.perftest;

/** The meaning of a test's figures, in a line below its table. */
final class Notes {
    private Notes() {}

    static String meaning(Settings settings) {
        String meaning = switch (settings.workload()) {
            case WRITE_LAT -> "Half of the round trip. " + writes(settings);
            case SEND_LAT -> "Half of the round trip of a message and its answer.";
            case READ_LAT, ATOMIC_LAT -> "Round trip, from the post to the record.";
            case READ_BW, WRITE_BW, SEND_BW, ATOMIC_BW ->
                "From the first post to the last record, " + settings.jfsDepth() + " unfinished on each of "
                        + settings.lanes() + " queues" + (settings.sharesJfs() ? ", which share a JFS" : "")
                        + (settings.isBidirectional() ? "; both directions together." : ".");
        };
        return settings.isLatency() && settings.hasRate()
                ? meaning + " Counted from the scheduled start of each, so that waiting behind a slow one is included."
                : meaning;
    }

    private static String writes(Settings settings) {
        if (settings.hasImmediate()) {
            return "Each write has an immediate, whose record is polled for.";
        }
        if (settings.hasNotify()) {
            return "Each write is a WRITE_NOTIFY, whose value is polled for.";
        }
        if (settings.usesDeviceMemory()) {
            return "Each write is a WRITE_NOTIFY, whose value is polled for in memory of the host: no host polls a device's.";
        }
        return "1, 2, 4 and 8 bytes are a plain WRITE, polled as a word; others a WRITE_NOTIFY, since bytes inside one "
                + "larger operation are unordered (S8.10).";
    }
}
