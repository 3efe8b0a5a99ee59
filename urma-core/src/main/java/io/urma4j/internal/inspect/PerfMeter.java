package io.urma4j.internal.inspect;

import io.urma4j.Jfs;
import io.urma4j.Resource;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.LatencyHistogram;
import io.urma4j.spi.CompletionRecord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the stages of one context, while another process requests it. Safe for any thread.
 *
 * <p>Without a request, the data path contains no measuring code: starting puts {@link MeasuredSendQueue} and {@link
 * MeasuredJfc} in place of the provider's queues, and stopping restores these.
 *
 * <p><b>Execution.</b> Of each send queue, one work request at a time is sampled up to its record. The provider gets a
 * random number instead of its user context, since users may give several requests the same one. The record gets the user's
 * own context back before a user sees it, also after the end of measuring.
 */
public final class PerfMeter {
    private static final double NANOS_PER_MICRO = 1e3;

    private final Map<Long, Followed> followed = new ConcurrentHashMap<>();

    /**
     * How many requests are sampled. Read without ordering: the posting thread counts before the record is published, and
     * the polling thread reads it after it has found one. At 0 a poll need not do more, even if it was higher before.
     */
    private final AtomicInteger following = new AtomicInteger();

    private volatile @Nullable Run run; // null while not measuring
    private @Nullable Run last; // that has ended; guarded by this

    /** The times of all stages, from a start on. */
    public static final class Run {
        private final Map<PerfStage, LatencyHistogram> histograms = new EnumMap<>(PerfStage.class);

        private Run() {
            for (PerfStage stage : PerfStage.values()) {
                histograms.put(stage, new LatencyHistogram());
            }
        }

        void record(PerfStage stage, long nanos) {
            LatencyHistogram histogram = histograms.get(stage);
            if (histogram != null) {
                histogram.record(nanos);
            }
        }
    }

    /** A sampled work request in flight, under a number of the meter. */
    private record Followed(MeasuredSendQueue queue, long userContext, PerfStage stage, long postedNanos) {}

    // ---- on and off

    /** Begins anew: what was measured before is forgotten. */
    public synchronized void start(List<AutoCloseable> children) {
        run = new Run();
        children.forEach(this::adopt);
    }

    /** What was measured stays to be read. */
    public synchronized void stop(List<AutoCloseable> children) {
        Run ended = run;
        if (ended != null) {
            last = ended;
        }
        run = null;
        children.forEach(this::adopt);
    }

    /** Starts or stops measuring an existing queue. */
    private void adopt(AutoCloseable child) {
        ApiAccess.api().measure(child, run);
    }

    /** The same for one that has just been made. */
    public <T extends AutoCloseable> T adopted(T child) {
        if (run != null) {
            synchronized (this) {
                adopt(child);
            }
        }
        return child;
    }

    // ---- control steps

    /** Begins a step; {@link #end} takes the answer. */
    public long begin() {
        return run == null ? 0 : System.nanoTime() | 1; // 0 means that nothing is measured
    }

    public void end(PerfStage stage, long begun) {
        Run now = run;
        if (begun != 0 && now != null) {
            now.record(stage, System.nanoTime() - begun);
        }
    }

    /** Takes a step, and its time. */
    public <T> T timed(PerfStage stage, Supplier<T> step) {
        long begun = begin();
        T result = step.get();
        end(stage, begun);
        return result;
    }

    // ---- work requests in flight

    /** The number for a work request that is about to be posted. */
    long follow(MeasuredSendQueue queue, long userContext, PerfStage stage, long nowNanos) {
        long number = ThreadLocalRandom.current().nextLong();
        following.getAndIncrement();
        followed.put(number, new Followed(queue, userContext, stage, nowNanos));
        return number;
    }

    /** It was not accepted. */
    public void forget(long number) {
        take(number);
    }

    private @Nullable Followed take(long number) {
        Followed taken = followed.remove(number);
        if (taken != null) {
            following.getAndDecrement();
        }
        return taken;
    }

    /** A queue has ended, and its records with it. */
    public void forget(Jfs jfs) {
        followed.forEach((number, each) -> {
            if (each.queue.jfs() == jfs) {
                forget(number);
            }
        });
    }

    /** Gives records of the send side the user contexts that their users know. */
    public void restore(long[] words, int records) {
        if (following.getPlain() != 0) {
            restoreFollowed(words, records);
        }
    }

    private void restoreFollowed(long[] words, int records) {
        for (int i = 0; i < records; i++) {
            int at = i * CompletionRecord.WORDS;
            if (!CompletionRecord.has(words[at], CompletionRecord.RECEIVE)) {
                Followed ended = take(words[at + CompletionRecord.USER_CONTEXT]);
                if (ended != null) {
                    words[at + CompletionRecord.USER_CONTEXT] = ended.userContext;
                    ended.queue.ended(PerfStage.executionOf(ended.stage), System.nanoTime() - ended.postedNanos);
                }
            }
        }
    }

    // ---- what was found

    /** A line for each stage that something is known of, in microseconds; since the last start. */
    public synchronized List<Resource> resources() {
        Run told = run != null ? run : last;
        List<Resource> lines = new ArrayList<>();
        if (told != null) {
            told.histograms.forEach((stage, histogram) -> {
                if (histogram.count() > 0) {
                    lines.add(line(lines.size() + 1L, stage, histogram));
                }
            });
        }
        return lines;
    }

    private static Resource line(long number, PerfStage stage, LatencyHistogram histogram) {
        return Resource.builder(Resource.Kind.PERF, number)
                .add("stage", stage)
                .add("count", histogram.count())
                .add("t_min", micros(histogram.minNanos()))
                .add("t_median", micros(histogram.percentileNanos(50)))
                .add("t_avg", micros(histogram.meanNanos()))
                .add("90%", micros(histogram.percentileNanos(90)))
                .add("99%", micros(histogram.percentileNanos(99)))
                .add("99.9%", micros(histogram.percentileNanos(99.9)))
                .add("t_max", micros(histogram.maxNanos()))
                .build();
    }

    private static String micros(long nanos) {
        return micros((double) nanos);
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / NANOS_PER_MICRO);
    }
}
