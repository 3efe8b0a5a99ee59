package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Metric;
import io.urma4j.bench.compare.Sample;
import java.io.IOException;
import java.util.List;

/**
 * The last line of {@code ucx_perftest -f}: iterations; percentile, average and overall latency in microseconds; average
 * and overall bandwidth; average and overall operations a second. The mean is taken from the last, which has the most
 * digits. Some tests leave the percentile at zero.
 */
final class UcxOutput {
    private static final int PERCENTILE = 7; // from the end

    private UcxOutput() {}

    static Sample parse(String text) throws IOException {
        List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
        String[] columns =
                lines.isEmpty() ? new String[0] : lines.getLast().strip().split("\\s+", -1);
        try {
            Sample sample = Sample.mean(1e9 / Double.parseDouble(columns[columns.length - 1]));
            double percentile = Double.parseDouble(columns[columns.length - PERCENTILE]) * 1_000;
            return percentile > 0 ? sample.with(Metric.P50, percentile) : sample;
        } catch (ArrayIndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IOException("not the output of ucx_perftest: " + text.strip(), e);
        }
    }
}
