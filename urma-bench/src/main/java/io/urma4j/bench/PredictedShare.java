package io.urma4j.bench;

/** How many of the packets that an end has received were expected, and took the short way of header prediction. */
final class PredictedShare {
    private final RallyEnd end;
    private PredictedPackets seen = PredictedPackets.NONE;

    PredictedShare(RallyEnd end) {
        this.end = end;
    }

    /** A line about the packets since the last one. */
    String next() {
        PredictedPackets before = seen;
        seen = end.packets();
        return "  " + seen.minus(before);
    }
}
