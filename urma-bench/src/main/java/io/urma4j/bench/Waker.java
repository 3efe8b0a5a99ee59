package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Wakes a {@link Sleeper} in several ways, and takes the time until it shows itself awake. */
final class Waker implements AutoCloseable {
    private static final VarHandle U64 = JAVA_LONG.varHandle();

    private final HandOver shared;
    private final Urma urma = Urma.open();
    private final UrmaContext context = urma.device("shm0").openContext();
    private final LocalSegment local = context.register(context.allocate(4096), Access.LOCAL_ONLY);
    private final Jfc jfc = context.createJfc(JfcConfig.DEFAULT.withLockFree());
    private final Jfs jfs =
            context.createJfs(jfc, JfsConfig.builder().lockFree(true).build());
    private final CompletionBatch batch = new CompletionBatch(16);
    private final TargetJetty target;

    Waker(HandOver shared, String invitation) {
        this.shared = shared;
        this.target = context.importJetty(SharedJetty.parse(invitation));
    }

    /** By a message: until its record says that the sleeper's context has taken it. */
    long untilTaken() {
        long start = System.nanoTime();
        send();
        Records.one(jfc, batch);
        return System.nanoTime() - start;
    }

    /** By a message: until the thread that received it shows itself. */
    long untilReceived() {
        long before = signsOfLife();
        long start = System.nanoTime();
        send();
        spinWhile(before);
        long nanos = System.nanoTime() - start;
        Records.one(jfc, batch);
        return nanos;
    }

    /** By an eventfd: until a thread that waited shows itself. */
    long untilSignalled() {
        long before = signsOfLife();
        long start = System.nanoTime();
        shared.event().signal();
        spinWhile(before);
        return System.nanoTime() - start;
    }

    private void send() {
        if (!jfs.send(target, local, 0, SendRally.MESSAGE_BYTES, 0)) {
            throw new IllegalStateException("the queue is full");
        }
    }

    private void spinWhile(long before) {
        MemorySegment memory = shared.memory();
        while ((long) U64.getAcquire(memory, 0L) == before) {
            Thread.onSpinWait();
        }
    }

    private long signsOfLife() {
        return (long) U64.getAcquire(shared.memory(), 0L);
    }

    @Override
    public void close() {
        urma.close();
    }
}
