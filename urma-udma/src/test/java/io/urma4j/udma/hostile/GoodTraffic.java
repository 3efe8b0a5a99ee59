package io.urma4j.udma.hostile;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaContext;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An honest initiator, which writes, reads, counts and sends in a circle, and looks whether each did what it should; and its
 * home, which has guards before and behind the memory that it uses. One thread polls for both, so that their speed is that of
 * their cards, and not of a scheduler with more threads than CPUs.
 */
final class GoodTraffic implements AutoCloseable {
    private static final int GUARD_BYTES = 64 * 1024;
    private static final int BODY_BYTES = 4096;
    private static final int MESSAGE_BYTES = 64;
    private static final int RECEIVES = 64;
    private static final byte GUARD = (byte) 0xA5;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final LocalSegment memory; // guard, body, guard
    private final MemorySegment bytes;
    private final Jfr jfr;
    private final Jfc homeJfc;
    private final RemoteSegment remote;
    private final TargetJetty target;
    private final LocalSegment local;
    private final Jfc jfc;
    private final Jfs jfs;
    private final CompletionBatch batch = new CompletionBatch(16);
    private int results; // that were polled, and not awaited yet; by the thread
    private int arrivals; // likewise, at the home
    private final AtomicLong rounds = new AtomicLong();
    private final Thread thread;
    private volatile String trouble = "";
    private volatile boolean ended;

    GoodTraffic(UrmaContext home, UrmaContext initiator) {
        var allocated = home.allocate(GUARD_BYTES + BODY_BYTES + GUARD_BYTES);
        bytes = allocated.segment();
        bytes.fill(GUARD);
        bytes.asSlice(GUARD_BYTES, BODY_BYTES).fill((byte) 0);
        memory = home.register(allocated, Access.READ_WRITE_ATOMIC);
        homeJfc = home.createJfc(JfcConfig.DEFAULT);
        jfr = home.createJfr(homeJfc, JfrConfig.builder().depth(RECEIVES).build());
        local = initiator.register(initiator.allocate(2 * BODY_BYTES), Access.LOCAL_ONLY);
        jfc = initiator.createJfc(JfcConfig.DEFAULT);
        jfs = initiator.createJfs(jfc, JfsConfig.DEFAULT);
        remote = initiator.importSegment(memory.descriptor(), memory.token());
        target = initiator.importJetty(jfr.descriptor(), jfr.token());
        var inbox = home.register(home.allocate(MESSAGE_BYTES), Access.LOCAL_ONLY);
        for (int i = 0; i < RECEIVES; i++) {
            jfr.receive(inbox, 0, MESSAGE_BYTES, i);
        }
        thread = Thread.ofPlatform().name("good traffic").start(() -> {
            try {
                while (!ended) {
                    round(rounds.get(), inbox);
                    rounds.incrementAndGet();
                }
            } catch (RuntimeException | AssertionError e) {
                trouble = "round " + rounds.get() + ": " + e;
            }
        });
    }

    private void round(long number, LocalSegment inbox) {
        MemorySegment mine = local.memory();
        mine.asSlice(0, 256).fill((byte) number);
        long place = GUARD_BYTES + 64 + number % 8 * 256;
        jfs.write(remote, place, local, 0, 256, number);
        awaitResult();
        jfs.read(remote, place, local, BODY_BYTES, 256, number);
        awaitResult();
        for (int i = 0; i < 256; i++) {
            require(mine.get(JAVA_BYTE, BODY_BYTES + i) == (byte) number, "byte " + i + " is another's");
        }
        jfs.fetchAndAdd(remote, GUARD_BYTES, local, 0, 1, number);
        awaitResult();
        require(mine.get(JAVA_LONG, 0) == number, "it was counted to " + mine.get(JAVA_LONG, 0));
        jfs.send(target, local, 0, MESSAGE_BYTES, number);
        awaitArrival();
        jfr.receive(inbox, 0, MESSAGE_BYTES, number);
        awaitResult();
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    private void awaitResult() {
        long deadline = deadline();
        while (results == 0) {
            poll(deadline);
        }
        results--;
    }

    private void awaitArrival() {
        long deadline = deadline();
        while (arrivals == 0) {
            poll(deadline);
        }
        arrivals--;
    }

    private static long deadline() {
        return System.nanoTime() + PATIENCE.toNanos();
    }

    private void poll(long deadline) {
        results += successes(jfc);
        arrivals += successes(homeJfc);
        require(System.nanoTime() - deadline < 0, "no record within " + PATIENCE);
    }

    private int successes(Jfc from) {
        int count = from.poll(batch);
        for (int i = 0; i < count; i++) {
            require(batch.isSuccess(i), batch.toString());
        }
        return count;
    }

    long rounds() {
        return rounds.get();
    }

    /** What it met that should not have been; empty when nothing. */
    String trouble() {
        return trouble;
    }

    int importers() {
        return memory.importers().size();
    }

    /** The first byte of a guard that somebody has written; -1 when nobody has. */
    long firstSpoiltGuard() {
        for (long i = 0; i < bytes.byteSize(); i++) {
            boolean isGuard = i < GUARD_BYTES || i >= GUARD_BYTES + BODY_BYTES;
            if (isGuard && bytes.get(JAVA_BYTE, i) != GUARD) {
                return i;
            }
        }
        return -1;
    }

    /** Ends after this round. */
    @Override
    public void close() {
        ended = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
