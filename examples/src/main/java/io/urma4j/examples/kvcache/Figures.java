package io.urma4j.examples.kvcache;

import java.util.Arrays;
import java.util.Locale;

/** What the decoder has fetched, and how long each fetch took. For one thread. */
final class Figures {
    private static final int MAX_SAMPLES = 1 << 20; // later fetches count, and are not among the percentiles

    private long[] samples = new long[1024];
    private int sampleCount;
    private long requests;
    private long blocks;
    private long bytes;
    private long nanos;
    private long wrong;

    /** One fetch of blocks of a layer. */
    void fetched(int count, long lengthBytes, long tookNanos) {
        blocks += count;
        bytes += lengthBytes;
        nanos += tookNanos;
        if (sampleCount < MAX_SAMPLES) {
            if (sampleCount == samples.length) {
                samples = Arrays.copyOf(samples, 2 * sampleCount);
            }
            samples[sampleCount++] = tookNanos;
        }
    }

    /** All layers of a request. */
    void requestEnded() {
        requests++;
    }

    void wrongBlock() {
        wrong++;
    }

    long requests() {
        return requests;
    }

    /** Whether there were blocks, and none was wrong. */
    boolean isGood() {
        return blocks > 0 && wrong == 0;
    }

    private double percentileMicros(double percent) {
        long[] sorted = Arrays.copyOf(samples, sampleCount);
        Arrays.sort(sorted);
        int at = (int) Math.ceil(percent / 100 * sorted.length) - 1;
        return sorted.length == 0 ? 0 : sorted[Math.max(0, at)] / 1e3;
    }

    /** A line for each figure. */
    String text(int fetchBlocks) {
        return String.format(
                Locale.ROOT,
                """
                requests                    %d
                blocks fetched              %d
                wrong blocks                %d
                GB/s while fetching         %.2f
                fetch of %-2d blocks, p50     %.1f µs
                                      p99   %.1f µs
                """,
                requests,
                blocks,
                wrong,
                nanos == 0 ? 0 : (double) bytes / nanos,
                fetchBlocks,
                percentileMicros(50),
                percentileMicros(99));
    }
}
