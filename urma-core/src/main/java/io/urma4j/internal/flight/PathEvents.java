package io.urma4j.internal.flight;

import io.urma4j.TransportPath;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.Timespan;

/** Records the paths of a context, periodically. */
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class PathEvents {
    private PathEvents() {}

    static Runnable begin(String context, Supplier<List<TransportPath>> paths) {
        return PeriodicEvents.begin(Map.of(
                NetworkPath.class, () -> record(context, paths.get(), false),
                SharedMemoryPath.class, () -> record(context, paths.get(), true)));
    }

    private static void record(String context, List<TransportPath> paths, boolean isSharedMemory) {
        for (TransportPath path : paths) {
            Map<String, Long> counters = path.counters().asMap();
            if (counters.containsKey("ringFull") == isSharedMemory) {
                Path event = isSharedMemory ? new SharedMemoryPath(counters) : new NetworkPath(counters);
                event.context = context;
                event.path = path.number();
                event.peer = path.peer();
                event.commit();
            }
        }
    }

    /** What paths of all kinds have. */
    @Period("1 s")
    private abstract static class Path extends FlightEvents.UrmaEvent {
        @Label("Context")
        String context = "";

        @Label("Path")
        long path;

        @Label("Peer")
        String peer = "";

        @Label("Sent")
        final long sent;

        @Label("Received")
        final long received;

        @Label("In Flight")
        final long inFlight;

        private final transient Map<String, Long> counters; // the recorder leaves it out

        Path(Map<String, Long> counters) {
            this.counters = counters;
            sent = value("sent");
            received = value("received");
            inFlight = value("inFlight");
        }

        final long value(String name) {
            return counters.getOrDefault(name, 0L);
        }
    }

    @Name("io.urma4j.SharedMemoryPath")
    @Label("Shared Memory Path")
    @Description("What a path has counted since it was made: messages, slots of the rings, wake-ups")
    private static final class SharedMemoryPath extends Path {
        @Label("Slots Sent")
        final long slotsSent = value("slotsSent");

        @Label("Slots Received")
        final long slotsReceived = value("slotsReceived");

        @Label("Ring Full")
        final long ringFull = value("ringFull");

        @Label("Wake-ups")
        final long wakeUps = value("wakeUps");

        SharedMemoryPath(Map<String, Long> counters) {
            super(counters);
        }
    }

    @Name("io.urma4j.NetworkPath")
    @Label("Network Path")
    @Description("What a path has counted since it was made, in packets, with its window and its round trip")
    private static final class NetworkPath extends Path {
        @Label("Predicted")
        @Description("Received packets that were expected, and took the short way of header prediction")
        final long predicted = value("predicted");

        @Label("Sent at Once")
        @Description("Requests that were sent in one step, since nothing else was in flight")
        final long sentAtOnce = value("sentAtOnce");

        @Label("Retransmitted")
        final long retransmitted = value("retransmitted");

        @Label("Spurious Retransmissions")
        final long spurious = value("spurious");

        @Label("Probes")
        @Description("How often an acknowledgement was overdue, and the oldest packet was retransmitted alone")
        final long probes = value("probes");

        @Label("Timeouts")
        final long timeouts = value("timeouts");

        @Label("Window")
        final long window = value("window");

        @Label("Smoothed Round Trip")
        @Timespan(Timespan.NANOSECONDS)
        final long roundTrip = value("rttNanos");

        @Label("Retransmission Timeout")
        @Timespan(Timespan.NANOSECONDS)
        final long retransmissionTimeout = value("rtoNanos");

        @Label("Gaps Seen")
        final long gapsSeen = value("gapsSeen");

        @Label("NAKs Received: Gap")
        final long gapNaks = value("gapNaks");

        @Label("Duplicates")
        final long duplicates = value("duplicates");

        @Label("RNR NAKs Sent")
        final long rnrSent = value("rnrSent");

        @Label("RNR NAKs Received")
        final long rnrReceived = value("rnrReceived");

        @Label("Marked Packets Received")
        final long marked = value("marked");

        @Label("CNPs Sent")
        final long cnpSent = value("cnpSent");

        @Label("CNPs Received")
        final long cnpReceived = value("cnpReceived");

        @Label("NAKs Sent: Invalid Request")
        final long nakInvalidSent = value("nakInvalidSent");

        @Label("NAKs Received: Invalid Request")
        final long nakInvalidReceived = value("nakInvalidReceived");

        @Label("NAKs Sent: Access")
        final long nakAccessSent = value("nakAccessSent");

        @Label("NAKs Received: Access")
        final long nakAccessReceived = value("nakAccessReceived");

        @Label("NAKs Sent: Operation")
        final long nakOperationSent = value("nakOperationSent");

        @Label("NAKs Received: Operation")
        final long nakOperationReceived = value("nakOperationReceived");

        @Label("Ignored Packets")
        final long ignored = value("ignored");

        @Label("Contradicting Requests")
        final long contradicted = value("contradicted");

        NetworkPath(Map<String, Long> counters) {
            super(counters);
        }
    }
}
