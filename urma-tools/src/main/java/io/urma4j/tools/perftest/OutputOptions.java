package io.urma4j.tools.perftest;

import io.urma4j.tools.JsonOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The files and the unit of the result. */
final class OutputOptions {
    @Mixin
    private JsonOption json;

    @Option(names = "--csv", paramLabel = "FILE", description = "Also write the rows of the table to a file.")
    private @Nullable Path csv;

    @Option(names = "--plot", paramLabel = "FILE.svg", description = "Plot latency or bandwidth by size into a file.")
    private @Nullable Path plot;

    @Option(
            names = "--bw_unit",
            paramLabel = "UNIT",
            description = "Bandwidth unit: ${COMPLETION-CANDIDATES}; default: MB, 10^6 bytes.")
    private @Nullable BandwidthUnit unit;

    boolean asksJson() {
        return json.isAsked();
    }

    @Nullable
    Path csv() {
        return csv;
    }

    @Nullable
    Path plot() {
        return plot;
    }

    BandwidthUnit unit() {
        return unit == null ? BandwidthUnit.MB : unit;
    }

    /**
     * The first of these options that was given, which a server refuses since it prints no table; null when none was.
     */
    @Nullable
    String given() {
        if (json.isAsked()) {
            return "--json";
        }
        if (csv != null) {
            return "--csv";
        }
        if (plot != null) {
            return "--plot";
        }
        return unit == null ? null : "--bw_unit";
    }
}
