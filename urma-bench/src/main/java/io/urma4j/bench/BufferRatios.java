package io.urma4j.bench;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The rows of {@code urma-bench/guard} on registered buffers: their time, and that of what they are made of, in this process. */
public final class BufferRatios implements AutoCloseable {
    /** Acquire and release by two CAS; grant and take back by the former; a WRITE into a window by one into a segment. */
    public static final List<String> NAMES = List.of("buffer-acquire", "buffer-export-grant", "buffer-export-write");

    private static final long WARM_UP_NANOS = 400_000_000;

    private final ExportPair pair = new ExportPair();

    /** Without measurements yet. */
    public BufferRatios() {}

    /**
     * Measures a row.
     *
     * @param name one of {@link #NAMES}
     * @param turn how long each of the two is measured in a pair
     */
    public Rounds measure(String name, int pairs, Duration turn) {
        Alternation alternation = new Alternation(pairs, turn.toNanos(), WARM_UP_NANOS);
        Rounds[] measured = new Rounds[1];
        Pinned.runUnchecked(0, () -> measured[0] = alternation.measure(subject(name), peer(name)));
        return measured[0];
    }

    private Timed subject(String name) {
        return switch (name) {
            case "buffer-acquire" -> pair.cycles();
            case "buffer-export-grant" -> pair.grants();
            case "buffer-export-write" -> pair.windowWrites();
            default -> throw unknown(name);
        };
    }

    private Timed peer(String name) {
        return switch (name) {
            case "buffer-acquire" -> Timed.of(PoolSuite.twoCas(new AtomicLong()), ExportPair.OPERATIONS);
            case "buffer-export-grant" -> pair.cycles();
            case "buffer-export-write" -> pair.wholeWrites();
            default -> throw unknown(name);
        };
    }

    private static IllegalArgumentException unknown(String name) {
        return new IllegalArgumentException("name is " + name + ", must be one of " + NAMES);
    }

    @Override
    public void close() {
        pair.close();
    }
}
