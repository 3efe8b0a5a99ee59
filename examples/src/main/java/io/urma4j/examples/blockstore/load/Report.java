package io.urma4j.examples.blockstore.load;

import io.urma4j.examples.blockstore.load.Counts.Count;
import io.urma4j.examples.blockstore.load.KillPlan.Kind;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The counts of all clients at one moment. */
record Report(
        LoadOptions options,
        Duration elapsed,
        Map<Kind, Integer> killed,
        Map<Count, Long> totals,
        List<String> failures,
        List<String> pools) {

    static Report of(
            LoadOptions options,
            Duration elapsed,
            Map<Kind, Integer> killed,
            List<Counts> clients,
            List<String> failures,
            List<String> pools) {
        Map<Count, Long> totals = new EnumMap<>(Count.class);
        for (Count count : Count.values()) {
            totals.put(
                    count, clients.stream().mapToLong(each -> each.get(count)).sum());
        }
        return new Report(options, elapsed, killed, totals, failures, pools);
    }

    private long total(Count count) {
        return totals.getOrDefault(count, 0L);
    }

    private int kills(Kind kind) {
        return killed.getOrDefault(kind, 0);
    }

    private long mebibytes() {
        return total(Count.BYTES) >> 20;
    }

    /** One line. */
    String progress() {
        return String.format(
                Locale.ROOT,
                "%4d s  %d kills  %d reads  %d writes  %d MiB  %d retries  %d reconnects  %d lost  %d corrupt",
                elapsed.toSeconds(),
                killed.values().stream().mapToInt(Integer::intValue).sum(),
                total(Count.READS),
                total(Count.WRITES),
                mebibytes(),
                total(Count.RETRIES),
                total(Count.RECONNECTS),
                total(Count.LOST),
                total(Count.CORRUPT));
    }

    boolean isGood() {
        return failures.isEmpty()
                && total(Count.LOST) == 0
                && total(Count.CORRUPT) == 0
                && total(Count.FAILED) == 0
                && total(Count.READS) > 0
                && total(Count.WRITES) > 0;
    }

    /** Prints the whole report, and returns whether all is well. */
    boolean print() {
        System.out.printf(
                Locale.ROOT,
                """

                device                      %s
                seconds                     %d
                reads                       %d
                writes, acknowledged        %d
                MiB                         %d
                clients killed              %d
                server killed               %d
                clients stopped             %d
                reconnects                  %d
                retries                     %d
                failed requests             %d
                lost acknowledged writes    %d
                corrupt reads               %d
                processes that failed       %s
                buffers at the end of       %s
                %s: seed %d
                """,
                options.device(),
                elapsed.toSeconds(),
                total(Count.READS),
                total(Count.WRITES),
                mebibytes(),
                kills(Kind.CLIENT_KILLED),
                kills(Kind.SERVER_KILLED),
                kills(Kind.CLIENT_STOPPED),
                total(Count.RECONNECTS),
                total(Count.RETRIES),
                total(Count.FAILED),
                total(Count.LOST),
                total(Count.CORRUPT),
                failures.isEmpty() ? "none" : String.join("; ", failures),
                String.join("\n" + " ".repeat(28), pools),
                isGood() ? "PASSED" : "FAILED",
                options.seed());
        return isGood();
    }
}
