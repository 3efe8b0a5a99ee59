package io.urma4j.buffer;

import io.urma4j.internal.flight.Flight;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger.Level;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds handles that are lost without {@link RdmaBuf#close}. Safe for any number of threads.
 *
 * <p>A lost handle is logged as a warning, reported to the listener, and closed. That happens when the detector is used
 * next: when another handle is acquired, or by {@link #lost}. A view keeps its handle reachable, so a lost one has no view
 * in use.
 */
public final class LeakDetector {
    /** Tracks nothing. */
    public static final LeakDetector OFF = of(LeakLevel.OFF);

    private static final System.Logger LOG = System.getLogger(LeakDetector.class.getName());
    private static final int SAMPLE = 128;

    private final LeakLevel level;
    private final Consumer<LeakRecord> listener;
    private final Set<Tracked> open = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<RdmaBuf> collected = new ReferenceQueue<>();
    private final AtomicLong lost = new AtomicLong();

    private LeakDetector(LeakLevel level, Consumer<LeakRecord> listener) {
        this.level = level;
        this.listener = listener;
    }

    /** A detector that only logs. */
    public static LeakDetector of(LeakLevel level) {
        return of(level, _ -> {});
    }

    /**
     * A detector that logs and reports.
     *
     * @param listener runs on the thread that uses the detector; it must neither block nor throw
     */
    public static LeakDetector of(LeakLevel level, Consumer<LeakRecord> listener) {
        return new LeakDetector(level, listener);
    }

    public LeakLevel level() {
        return level;
    }

    /** How many tracked handles were lost so far. */
    public long lost() {
        reportCollected();
        return lost.get();
    }

    /** Age of the oldest open handle among those that it tracks; empty if there is none. */
    public Optional<Duration> oldest() {
        return open.stream().map(Tracked::age).max(Comparator.naturalOrder());
    }

    /**
     * For the end of a test.
     *
     * @throws AssertionError if a tracked handle is open, or was lost; the message has the stacks
     */
    public void assertNoLeaks() {
        reportCollected();
        if (lost.get() > 0 || !open.isEmpty()) {
            StringBuilder message = new StringBuilder(lost.get() + " handles were lost, " + open.size() + " are open");
            open.forEach(handle -> message.append('\n').append(textOf(handle.record())));
            throw new AssertionError(message);
        }
    }

    /** Tracks a new handle, if it is chosen. */
    @Nullable
    Tracked track(RdmaBuf handle) {
        if (level == LeakLevel.OFF) {
            return null;
        }
        reportCollected();
        if (level != LeakLevel.ALL && ThreadLocalRandom.current().nextInt(SAMPLE) != 0) {
            return null;
        }
        Tracked tracked = new Tracked(this, handle);
        open.add(tracked);
        return tracked;
    }

    private void reportCollected() {
        Reference<? extends RdmaBuf> next = collected.poll();
        while (next != null) {
            if (next instanceof Tracked handle && open.remove(handle)) {
                report(handle);
            }
            next = collected.poll();
        }
    }

    private void report(Tracked handle) {
        LeakRecord leak = handle.record();
        lost.incrementAndGet();
        LOG.log(Level.WARNING, () -> "lost without close: " + textOf(leak));
        Flight.bufferLost(leak);
        handle.block.releaseQuietly(handle.generation);
        try {
            listener.accept(leak);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the listener of a leak detector failed", e); // its caller wants another buffer
        }
    }

    private static String textOf(LeakRecord leak) {
        StringWriter text = new StringWriter();
        text.append(leak.buffer()).append(", ").append(leak.age().toString()).append(" old");
        leak.acquired().ifPresent(stack -> {
            text.append(", ");
            stack.printStackTrace(new PrintWriter(text, true));
        });
        return text.toString();
    }

    /** A handle, as long as it is open. */
    static final class Tracked extends PhantomReference<RdmaBuf> {
        private final LeakDetector detector;
        private final Block block;
        private final long generation;
        private final String name;
        private final long lengthBytes;
        private final long acquiredNanos = System.nanoTime();
        private final @Nullable Throwable acquired;

        Tracked(LeakDetector detector, RdmaBuf handle) {
            super(handle, detector.collected);
            this.detector = detector;
            this.block = handle.block();
            this.generation = handle.generation();
            this.name = handle.toString();
            this.lengthBytes = handle.lengthBytes();
            this.acquired = detector.level == LeakLevel.SAMPLED ? null : new Throwable("acquired here");
        }

        /** The handle was closed. */
        void closed() {
            detector.open.remove(this);
            clear();
        }

        private Duration age() {
            return Duration.ofNanos(System.nanoTime() - acquiredNanos);
        }

        private LeakRecord record() {
            return new LeakRecord(name, lengthBytes, age(), Optional.ofNullable(acquired));
        }
    }
}
