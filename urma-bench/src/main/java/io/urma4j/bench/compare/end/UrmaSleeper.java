package io.urma4j.bench.compare.end;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.compare.Task;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/** One of two that sleep in {@code jfce.await} until the other's message comes: each half of a round trip is a wake-up. */
final class UrmaSleeper implements AutoCloseable {
    private static final int RECEIVES = 64;
    private static final int WARM_UP = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration LOOK = Duration.ofMillis(50);

    private final UrmaContext context;
    private final Jfce jfce;
    private final Jfc sends;
    private final Jfc receives;
    private final Jfs jfs;
    private final Jfr jfr;
    private final LocalSegment local;
    private final int bytes;
    private final CompletionBatch batch = new CompletionBatch(16);

    UrmaSleeper(Urma urma, String device, Task task) {
        context = urma.device(device).openContext();
        bytes = task.bytes();
        local = context.register(context.allocate((RECEIVES + 1L) * bytes), Access.LOCAL_ONLY);
        jfce = context.createJfce();
        sends = context.createJfc(JfcConfig.DEFAULT.withLockFree());
        receives = context.createJfc(JfcConfig.DEFAULT, jfce);
        jfs = context.createJfs(sends, JfsConfig.builder().lockFree(true).build());
        jfr = context.createJfr(receives, JfrConfig.builder().depth(RECEIVES).build());
        for (int i = 1; i <= RECEIVES; i++) {
            receive((long) i * bytes);
        }
        receives.rearm(false);
    }

    String invitation() {
        return jfr.share();
    }

    TargetJetty meet(String invitation) {
        return context.importJetty(SharedJetty.parse(invitation));
    }

    Tally lead(TargetJetty home, long nanos) throws InterruptedException {
        Histogram times = new Histogram(60_000_000_000L, 3);
        long start = System.nanoTime();
        long now = start;
        for (long turn = 0; now - start < nanos || turn <= WARM_UP; turn++) {
            send(home);
            if (!await(PATIENCE)) {
                throw new IllegalStateException("no answer came within " + PATIENCE);
            }
            long then = System.nanoTime();
            if (turn == WARM_UP) {
                times.reset();
            }
            times.recordValue(then - now);
            now = then;
        }
        return Tally.of(times, 2);
    }

    void serve(TargetJetty leader, BooleanSupplier told) throws InterruptedException {
        while (!told.getAsBoolean()) {
            if (await(LOOK)) {
                send(leader);
            }
        }
    }

    private void send(TargetJetty target) {
        while (!jfs.send(target, local, 0, bytes, 0)) {
            Thread.onSpinWait();
        }
        sends.poll(batch);
    }

    /** Sleeps until a message is there; false when none comes. */
    private boolean await(Duration atMost) throws InterruptedException {
        long start = System.nanoTime();
        while (!take()) {
            receives.rearm(false);
            // what came before the rearm may have made no event
            if (take()) {
                return true;
            }
            if (jfce.await(atMost).isEmpty() && System.nanoTime() - start > atMost.toNanos()) {
                return take();
            }
        }
        return true;
    }

    /** Whether a message is there; there is never a second one. */
    private boolean take() {
        int count = receives.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch.isSuccess(i)) {
                throw new IllegalStateException(batch.toString());
            }
            receive(batch.userContext(i));
        }
        return count > 0;
    }

    private void receive(long buffer) {
        if (!jfr.receive(local, buffer, bytes, buffer)) {
            throw new IllegalStateException("the receive queue is full");
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
