package io.urma4j.bench.compare.end;

import io.urma4j.bench.compare.Task;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;

/**
 * The two sides of every work with messages, the same for all libraries.
 *
 * <p>Numbers of messages are never negative, save {@link #STOP}, which ends a home's service and is returned once.
 */
public final class MessageLoops implements LongConsumer {
    private static final long STOP = -1;
    private static final int POLLS_PER_LOOK = 4096;
    private static final int SENDS_PER_CLOCK = 64;
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    private final Link link;
    private final Histogram times = new Histogram(60_000_000_000L, 3);
    private long last;
    private long[] toReturn = new long[1024];
    private int kept;

    /** Over that link. */
    public MessageLoops(Link link) {
        this.link = link;
    }

    @Override
    public void accept(long number) {
        last = number;
    }

    // ---- the leader

    /** Does the task. */
    public Tally lead(Task task, long nanos) {
        Tally tally = switch (task.work()) {
            case SEND_LATENCY -> rounds(nanos);
            case SEND_RATE -> stream(nanos);
            case AT_RATE -> atRate(nanos, 1_000_000_000L / task.perSecond());
            default -> throw new IllegalArgumentException(task.work() + " is no work with messages");
        };
        return tally;
    }

    private Tally rounds(long nanos) {
        times.reset();
        long start = System.nanoTime();
        long now = start;
        while (now - start < nanos) {
            send(0);
            awaitOne();
            long then = System.nanoTime();
            times.recordValue(then - now);
            now = then;
        }
        stop();
        return Tally.of(times, 2);
    }

    private Tally stream(long nanos) {
        long start = System.nanoTime();
        long sent = 0;
        while (System.nanoTime() - start < nanos) {
            for (int i = 0; i < SENDS_PER_CLOCK; i++) {
                send(0);
            }
            sent += SENDS_PER_CLOCK;
        }
        stop(); // comes back when the home has all
        return Tally.of(sent, System.nanoTime() - start);
    }

    /** Sends at a fixed rate without awaiting returns: the latency of a delayed message counts from when it was due. */
    private Tally atRate(long nanos, long interval) {
        times.reset();
        long begin = System.nanoTime();
        long due = 0;
        long returned = 0;
        long sent = 0;
        LongConsumer sink = number -> times.recordValue(Math.max(1, System.nanoTime() - begin - number));
        while (due < nanos || returned < sent) {
            if (due < nanos && System.nanoTime() - begin >= due && link.offer(due)) {
                due += interval;
                sent++;
            }
            returned += link.poll(sink);
            if (System.nanoTime() - begin > nanos + PATIENCE_NANOS) {
                throw new IllegalStateException((sent - returned) + " of " + sent + " messages never came back");
            }
        }
        stop();
        return Tally.of(times, 1);
    }

    private void stop() {
        send(STOP);
        last = 0;
        while (last != STOP) {
            awaitOne();
        }
    }

    // ---- the home

    /** Serves until {@link #STOP} arrives, or {@code told} says that the leader has failed. */
    public void serve(Task task, BooleanSupplier told) {
        boolean returnsAll = switch (task.work()) {
            case SEND_LATENCY, AT_RATE -> true;
            case SEND_RATE -> false;
            default -> throw new IllegalArgumentException(task.work() + " is no work with messages");
        };
        LongConsumer sink = returnsAll ? this::keep : this;
        last = 0;
        for (int polls = 0; last != STOP; polls++) {
            if (link.poll(sink) > 0) {
                giveBack();
            }
            if (polls % POLLS_PER_LOOK == 0 && told.getAsBoolean()) {
                return; // the leader has failed
            }
        }
        if (!returnsAll) {
            send(STOP);
        }
        linger();
    }

    private void keep(long number) {
        last = number;
        if (kept == toReturn.length) {
            toReturn = Arrays.copyOf(toReturn, 2 * kept);
        }
        toReturn[kept++] = number;
    }

    /** Never called within a poll: some links have room for a message only after they are polled. */
    private void giveBack() {
        for (int i = 0; i < kept; i++) {
            while (!link.offer(toReturn[i])) {
                link.poll(this::keep);
            }
        }
        kept = 0;
    }

    /** Polls for a while after the last message: only a polling thread acknowledges, and retransmits lost packets. */
    private void linger() {
        long until = System.nanoTime() + 2_000_000;
        while (System.nanoTime() - until < 0) {
            link.poll(this);
        }
    }

    // ---- both

    private void send(long number) {
        if (link.offer(number)) {
            return;
        }
        long start = System.nanoTime();
        for (int tries = 0; !link.offer(number); tries++) {
            if (tries % POLLS_PER_LOOK == 0) {
                checkPatience(start);
            }
            link.poll(this); // some make room only then
        }
    }

    private void awaitOne() {
        if (link.poll(this) > 0) {
            return;
        }
        long start = 0;
        for (int polls = 1; link.poll(this) == 0; polls++) {
            Thread.onSpinWait();
            if (polls % POLLS_PER_LOOK == 0) {
                start = start == 0 ? System.nanoTime() : start;
                checkPatience(start);
            }
        }
    }

    private static void checkPatience(long start) {
        if (System.nanoTime() - start > PATIENCE_NANOS) {
            throw new IllegalStateException("nothing came for " + PATIENCE_NANOS / 1_000_000_000 + " s");
        }
    }
}
