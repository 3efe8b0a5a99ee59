package io.urma4j.bench.gpu;

import io.urma4j.bench.Alternation;
import io.urma4j.bench.Limit;
import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.bench.Rounds;
import java.util.List;

/**
 * A row about what the engine adds to copies of registered host memory.
 *
 * @param lengthBytes of each copy
 * @param isIn to the device, else to the host
 */
record CopyRow(String name, int lengthBytes, boolean isIn, Limit limit) {
    /** All rows. */
    static final List<CopyRow> ALL = List.of(
            new CopyRow("gpu-copy-in-4k", 4 << 10, true, new AtMost(2)),
            new CopyRow("gpu-copy-out-4k", 4 << 10, false, new AtMost(2)),
            new CopyRow("gpu-copy-in-1m", 1 << 20, true, new AtLeast(0.95)),
            new CopyRow("gpu-copy-out-1m", 1 << 20, false, new AtLeast(0.95)),
            new CopyRow("gpu-copy-in-16m", 16 << 20, true, new AtLeast(0.95)),
            new CopyRow("gpu-copy-out-16m", 16 << 20, false, new AtLeast(0.95)));

    private static final int ROUNDS = 15;
    private static final long ROUND_NANOS = 150_000_000;
    private static final long WARM_UP_NANOS = 400_000_000;

    /** Half a millisecond of copies is long against the clock. */
    private static final int CHUNK_BYTES = 16 << 20;

    /** Takes the time of both in alternating rounds. */
    Comparison measure(Copies engine, Copies byHand) {
        Rounds rounds = new Alternation(ROUNDS, ROUND_NANOS, WARM_UP_NANOS)
                .measure(engine.timed(lengthBytes, isIn, CHUNK_BYTES), byHand.timed(lengthBytes, isIn, CHUNK_BYTES));
        return new Comparison(name, describe(), rounds, limit);
    }

    private String describe() {
        String length = lengthBytes < 1 << 20 ? (lengthBytes >> 10) + " KiB" : (lengthBytes >> 20) + " MiB";
        return "%s %s, %s beside %s + event by hand"
                .formatted(
                        length,
                        isIn ? "to the device" : "to the host",
                        limit instanceof AtLeast ? "speed" : "time",
                        isIn ? "cuMemcpyHtoDAsync_v2" : "cuMemcpyDtoHAsync_v2");
    }
}
