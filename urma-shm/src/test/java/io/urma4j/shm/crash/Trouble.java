package io.urma4j.shm.crash;

import io.urma4j.SharedJetty;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The load of initiators on a home, any of which may die: threads that look it up, import, write, read, add, send, bind
 * and release again, each in a loop. They end after {@link #stop}, when their operations in flight have ended.
 */
final class Trouble {
    /** What a call to a home that dies, or closes, may answer. */
    private static final Set<UrmaStatus> GONE =
            EnumSet.of(UrmaStatus.ENOPERM, UrmaStatus.EINVAL, UrmaStatus.ETIMEOUT, UrmaStatus.EAGAIN);

    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(3);

    final UrmaContext context;
    final String name;
    final SharedJetty jetty;
    final SharedJetty connected;
    final AtomicLong results = new AtomicLong();
    final AtomicLong failures = new AtomicLong();
    final AtomicLong imports = new AtomicLong();
    final AtomicLong refusals = new AtomicLong(); // calls that failed as they may when the home is gone
    final Duration queueTimeout;
    private final List<String> wrongs = new CopyOnWriteArrayList<>();
    private final long beginNanos;
    private final List<Thread> threads;
    private volatile boolean stopped;

    /** One loop; called again and again. */
    interface Step {
        void run(Trouble trouble, long round) throws Exception;
    }

    /**
     * Begins.
     *
     * @param name of the home's segment
     * @param jetty of the home, to send to
     * @param connected an RC Jetty of the home, to bind to
     */
    Trouble(UrmaContext context, String name, SharedJetty jetty, SharedJetty connected) {
        this(context, name, jetty, connected, Duration.ZERO);
    }

    /** The same, after a while. */
    Trouble(UrmaContext context, String name, SharedJetty jetty, SharedJetty connected, Duration delay) {
        this(context, name, jetty, connected, delay, QUEUE_TIMEOUT);
    }

    /** The same; a queue waits that long for a home that does not answer. */
    Trouble(
            UrmaContext context,
            String name,
            SharedJetty jetty,
            SharedJetty connected,
            Duration delay,
            Duration queueTimeout) {
        this.queueTimeout = queueTimeout;
        this.beginNanos = System.nanoTime() + delay.toNanos();
        this.context = context;
        this.name = name;
        this.jetty = jetty;
        this.connected = connected;
        this.threads = List.of(
                start(new OneSidedStep()), start(new MessageStep()), start(new BindStep()), start(new ImportStep()));
    }

    private Thread start(Step step) {
        return Thread.ofPlatform()
                .daemon()
                .name(step.getClass().getSimpleName())
                .start(() -> repeat(step));
    }

    private void repeat(Step step) {
        while (beginNanos - System.nanoTime() > 0) {
            LockSupport.parkNanos(beginNanos - System.nanoTime());
        }
        for (long round = 0; !stopped; round++) {
            try {
                step.run(this, round);
            } catch (UrmaException e) {
                refusals.incrementAndGet();
                if (!GONE.contains(e.status())) {
                    wrong(step.getClass().getSimpleName() + ": " + e);
                }
            } catch (Exception | AssertionError e) {
                wrong(step.getClass().getSimpleName() + ": " + e);
                stopped = true;
            }
        }
    }

    boolean isStopped() {
        return stopped;
    }

    void wrong(String what) {
        wrongs.add(what);
    }

    /** The time in which every result must arrive: longer than the timeouts, which end unanswered operations. */
    Duration patience() {
        return queueTimeout.compareTo(CrashIT.DEADLINE) < 0 ? CrashIT.DEADLINE : queueTimeout.plus(CrashIT.DEADLINE);
    }

    void settled(AccountedQueue queue) {
        wrongs.addAll(queue.settle(patience()));
        results.addAndGet(queue.results());
        failures.addAndGet(queue.failures());
    }

    /** No more rounds. */
    void stop() {
        stopped = true;
    }

    /** Waits for the threads' ends; what went wrong, in words. */
    List<String> end() throws InterruptedException {
        stop();
        for (Thread thread : threads) {
            if (!thread.join(patience().multipliedBy(2))) {
                var stack = new StringBuilder(thread.getName() + " hangs:");
                for (StackTraceElement frame : thread.getStackTrace()) {
                    stack.append("\n    ").append(frame);
                }
                wrongs.add(stack.toString());
            }
        }
        return wrongs;
    }
}
