package io.urma4j.tools.admin;

import io.urma4j.tools.Table;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints the rates of paths, a table for each device. The most telling columns come first, since narrow terminals lose the last. */
final class TopTables {
    private static final double NANOS_PER_MICRO = 1000;

    private TopTables() {}

    /** Prints the busiest ones. */
    static void print(PrintWriter out, List<PathRate> rates, int most) {
        Map<String, List<PathRate>> byDevice = new LinkedHashMap<>();
        for (PathRate rate : rates.subList(0, Math.min(most, rates.size()))) {
            byDevice.computeIfAbsent(rate.to().key().device(), _ -> new ArrayList<>())
                    .add(rate);
        }
        byDevice.forEach((device, paths) -> {
            out.println();
            out.println(device);
            (paths.getFirst().isOfSharedMemory() ? ofSharedMemory(paths) : ofNetwork(paths)).printFitting(out);
        });
        if (rates.size() > most) {
            out.println();
            int others = rates.size() - most;
            out.println(others == 1 ? "and 1 path that is less busy" : "and " + others + " paths that are less busy");
        }
    }

    private static Table ofNetwork(List<PathRate> paths) {
        Table table =
                named().figures("tx/s").figures("rx/s").figures("rexmit/s").figures("rexmit%");
        table.figures("rtt_us")
                .figures("window")
                .figures("flight")
                .figures("tmo/s")
                .figures("spur/s");
        table.figures("gap/s")
                .figures("rnr/s")
                .figures("nak/s")
                .figures("cnp/s")
                .figures("tpn");
        for (PathRate path : paths) {
            double naks = path.perSecond("nakInvalidReceived")
                    + path.perSecond("nakAccessReceived")
                    + path.perSecond("nakOperationReceived");
            table.row(
                    pid(path),
                    peer(path),
                    rate(path.perSecond("sent")),
                    rate(path.perSecond("received")),
                    rate(path.perSecond("retransmitted")),
                    rate(path.retransmittedPercent()),
                    rate(path.now("rttNanos") / NANOS_PER_MICRO),
                    path.now("window"),
                    path.now("inFlight"),
                    rate(path.perSecond("timeouts")),
                    rate(path.perSecond("spurious")),
                    rate(path.perSecond("gapNaks")),
                    rate(path.perSecond("rnrReceived")),
                    rate(naks),
                    rate(path.perSecond("cnpReceived")),
                    path.to().path().id());
        }
        return table;
    }

    private static Table ofSharedMemory(List<PathRate> paths) {
        Table table = named().figures("tx/s").figures("rx/s").figures("full/s").figures("wake/s");
        table.figures("flight").figures("slots_tx/s").figures("slots_rx/s").figures("tpn");
        for (PathRate path : paths) {
            table.row(
                    pid(path),
                    peer(path),
                    rate(path.perSecond("sent")),
                    rate(path.perSecond("received")),
                    rate(path.perSecond("ringFull")),
                    rate(path.perSecond("wakeUps")),
                    path.now("inFlight"),
                    rate(path.perSecond("slotsSent")),
                    rate(path.perSecond("slotsReceived")),
                    path.to().path().id());
        }
        return table;
    }

    private static Table named() {
        return new Table().figures("pid").words("peer");
    }

    private static String pid(PathRate path) {
        return path.to().process().replaceFirst("^pid (?=\\d+$)", "");
    }

    /** The address of a peer; IPv4 in dotted form. */
    private static String peer(PathRate path) {
        return path.to().path().field("peer").replaceFirst("^::ffff:(?=\\d+\\.)", "");
    }

    /** A whole number if it is large, else with one decimal if that is not 0. */
    static String rate(double value) {
        double tenths = Math.round(value * 10) / 10.0;
        return Math.abs(tenths) >= 100 || tenths == Math.rint(tenths)
                ? String.valueOf(Math.round(value))
                : String.format(Locale.ROOT, "%.1f", tenths);
    }
}
