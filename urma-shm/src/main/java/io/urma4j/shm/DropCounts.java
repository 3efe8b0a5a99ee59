package io.urma4j.shm;

import io.urma4j.Counters;
import java.util.Set;

/** How many datagrams a queue has lost, by reason. The owner ensures that one thread at a time counts. */
final class DropCounts {
    private long noReceive;
    private long wrongState;
    private long wrongMode;
    private long jfcFull;
    private long peerGone;
    private long peerSilent;

    void count(Drop reason) {
        switch (reason) {
            case NO_RECEIVE -> noReceive++;
            case WRONG_STATE -> wrongState++;
            case WRONG_MODE -> wrongMode++;
            case JFC_FULL -> jfcFull++;
            case PEER_GONE -> peerGone++;
            case PEER_SILENT -> peerSilent++;
        }
    }

    private long of(Drop reason) {
        return switch (reason) {
            case NO_RECEIVE -> noReceive;
            case WRONG_STATE -> wrongState;
            case WRONG_MODE -> wrongMode;
            case JFC_FULL -> jfcFull;
            case PEER_GONE -> peerGone;
            case PEER_SILENT -> peerSilent;
        };
    }

    /** All of them as {@code dropped}, and each of {@code reasons} by its name. */
    Counters.Builder addTo(Counters.Builder counters, Set<Drop> reasons) {
        counters.add("dropped", reasons.stream().mapToLong(this::of).sum());
        reasons.forEach(reason -> counters.add(reason.counter, of(reason)));
        return counters;
    }
}
