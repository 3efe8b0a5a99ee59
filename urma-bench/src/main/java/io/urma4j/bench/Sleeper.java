package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.libc.Epoll;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Sleeps in several ways, and shows itself in shared memory each time that it is woken. */
final class Sleeper implements AutoCloseable {
    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final Duration FOR_EVER = Duration.ofSeconds(-1);
    private static final int RECEIVES = 16_384;

    private final HandOver shared;
    private final Urma urma = Urma.open();
    private final UrmaContext context = urma.device("shm0").openContext();
    private final LocalSegment local = context.register(context.allocate(4096), Access.LOCAL_ONLY);
    private final Jfce jfce = context.createJfce();
    private final Jfc jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(2 * RECEIVES), jfce);
    private final Jfr jfr =
            context.createJfr(jfc, JfrConfig.builder().depth(RECEIVES).build());
    private final CompletionBatch batch = new CompletionBatch(64);
    private List<Thread> threads = List.of();
    private volatile boolean ending;

    Sleeper(HandOver shared) {
        this.shared = shared;
        for (int i = 0; i < RECEIVES; i++) {
            receive();
        }
    }

    /** What the waker needs. */
    String invitation() {
        return jfr.share();
    }

    /** From now on messages are received by a thread that waits for an event. */
    void awaitMessages() {
        threads = List.of(started(this::receiveMessages));
    }

    /** From now on a thread waits in epoll for the eventfd, and shows itself. */
    void awaitSignals() {
        threads = List.of(started(() -> waitForSignals(this::showLife)));
    }

    /** From now on a thread waits in epoll for the eventfd, and wakes another, which shows itself. */
    void awaitSignalsInTwo() {
        AtomicLong signals = new AtomicLong();
        Thread second = started(() -> {
            long seen = 0;
            while (!ending) {
                while (signals.get() == seen && !ending) {
                    LockSupport.park(this);
                }
                seen++;
                showLife();
            }
        });
        Thread first = started(() -> waitForSignals(() -> {
            signals.incrementAndGet();
            LockSupport.unpark(second);
        }));
        threads = List.of(first, second);
    }

    private static Thread started(Runnable task) {
        Thread thread = new Thread(task, "sleeper");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void receiveMessages() {
        try {
            while (!ending) {
                jfc.rearm(false);
                // what came before the rearm may have made no event
                if (takeMessages() == 0 && jfce.await(FOR_EVER).isPresent()) {
                    takeMessages();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the end
        }
    }

    private int takeMessages() {
        int all = 0;
        for (int count = jfc.poll(batch); count > 0; count = jfc.poll(batch)) {
            showLife();
            for (int i = 0; i < count; i++) {
                receive();
            }
            all += count;
        }
        return all;
    }

    private void waitForSignals(Runnable woken) {
        try (Epoll epoll = Epoll.create(4)) {
            epoll.add(shared.event().fd(), Epoll.IN, 0);
            while (!ending) {
                epoll.await(-1);
                if (shared.event().drain() > 0) {
                    woken.run();
                }
            }
        }
    }

    private void showLife() {
        U64.getAndAdd(shared.memory(), 0L, 1L);
    }

    private void receive() {
        if (!jfr.receive(local, 0, SendRally.MESSAGE_BYTES, 0)) {
            throw new IllegalStateException("the receive queue is full");
        }
    }

    /** Ends the way of sleeping that was begun last. */
    void stop() throws InterruptedException {
        ending = true;
        shared.event().signal();
        for (Thread thread : threads) {
            thread.interrupt();
            LockSupport.unpark(thread);
            thread.join();
        }
        threads = List.of();
        shared.event().drain();
        ending = false;
        takeMessages(); // those that the engine took alone
    }

    @Override
    public void close() {
        urma.close();
    }
}
