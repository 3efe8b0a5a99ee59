package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A platform thread that calls the driver for a device. It runs the tasks of other threads in their order, and a round of its
 * own between them. Safe for any thread.
 */
final class CudaThread {
    /** How long a call of the driver may take before its caller gives up. */
    static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

    /** A thread that had nothing to do for this long parks: a wake-up costs as much. */
    private static final long SPIN_NANOS = 20_000;

    /** While copies are in progress, it yields between its rounds after this long: a copy of 1 MiB ends before. */
    private static final long YIELD_NANOS = 50_000;

    /** While copies are in progress, it stays awake for this long after its last work. */
    private static final long AWAKE_NANOS = 1_000_000;

    /** How long it parks at a time while it waits for something that wakes no thread. */
    private static final long POLL_NANOS = 20_000;

    /** What a thread does beside its tasks. */
    @FunctionalInterface
    interface Round {
        Pace run();

        /** Tasks have come and run next; each may block. */
        default void beforeTasks() {}
    }

    /** What a round found. */
    enum Pace {
        /** Something ended; look again at once. */
        PROGRESS,
        /** Something has not ended yet, and wakes no thread when it does. */
        PENDING,
        /** A task is likely to come soon. */
        READY,
        /** Nothing to do until a task comes. */
        IDLE
    }

    private final TaskQueue tasks = new TaskQueue();
    private final Round round;
    private final Thread thread;
    private volatile boolean parked;
    private boolean ended; // only the thread

    CudaThread(String name, Round round) {
        this.round = round;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        long lastWork = System.nanoTime();
        long lastAwake = lastWork;
        while (!ended) {
            boolean ran = runTasks();
            Pace pace = round.run();
            long now = System.nanoTime();
            if (ran || pace == Pace.PROGRESS) {
                lastWork = now;
                lastAwake = now;
            } else if (pace != Pace.IDLE && now - lastWork < AWAKE_NANOS) {
                lastAwake = now;
                relax(now - lastWork);
            } else if (now - lastAwake < SPIN_NANOS) {
                Thread.onSpinWait();
            } else {
                rest(pace);
            }
        }
        for (Task task = tasks.close(); task != null; ) {
            Task following = task.next;
            task.refuse();
            task = following;
        }
    }

    private static void relax(long quietNanos) {
        if (quietNanos < YIELD_NANOS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    private boolean runTasks() {
        Task task = tasks.takeAll();
        if (task == null) {
            return false;
        }
        round.beforeTasks();
        while (task != null) {
            Task following = task.next; // before the run: the task may be added again at once
            task.next = null;
            task.run();
            task = following;
        }
        return true;
    }

    private void rest(Pace pace) {
        parked = true;
        if (tasks.isEmpty()) { // else its owner may have looked before the flag was set
            if (pace == Pace.PENDING) {
                LockSupport.parkNanos(this, POLL_NANOS);
            } else {
                LockSupport.park(this);
            }
        }
        parked = false;
    }

    /** Runs a task soon; refuses it at once if the thread has ended. Allocates nothing. */
    void post(Task task) {
        if (!tasks.add(task)) {
            task.refuse();
        } else if (parked) {
            LockSupport.unpark(thread);
        }
    }

    /** Makes the thread run a round soon. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Runs an action on the thread, and waits for its end. */
    void run(String what, Runnable action) {
        call(what, asFunction(action), _ -> {});
    }

    private void runSoon(Runnable action) {
        post(new Call<>(asFunction(action), new CompletableFuture<>(), thread.getName()));
    }

    private static Supplier<Boolean> asFunction(Runnable action) {
        return () -> {
            action.run();
            return true;
        };
    }

    /**
     * Calls a function on the thread, and waits for its result.
     *
     * @param late what to do, on the thread, with a result that comes after the timeout
     * @throws UrmaException ETIMEOUT if the driver does not return, EINVAL if the thread has ended
     */
    <T> T call(String what, Supplier<T> function, Consumer<T> late) {
        CompletableFuture<T> result = new CompletableFuture<>();
        post(new Call<>(function, result, thread.getName()));
        boolean interrupted = false;
        long deadline = System.nanoTime() + CALL_TIMEOUT.toNanos();
        try {
            while (true) {
                try {
                    return result.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true; // the timeout is short
                }
            }
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        } catch (TimeoutException e) {
            CompletableFuture<Void> _ = result.thenAccept(value -> runSoon(() -> late.accept(value)));
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    thread.getName(),
                    "the driver did not return from " + what + " within " + CALL_TIMEOUT.toSeconds() + " s");
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException failure(@Nullable Throwable cause) {
        return switch (cause) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            case null, default -> new IllegalStateException("a call of the driver failed", cause);
        };
    }

    /** A function, and where its result goes. */
    private static final class Call<T> extends Task {
        private final Supplier<T> function;
        private final CompletableFuture<T> result;
        private final String owner;

        Call(Supplier<T> function, CompletableFuture<T> result, String owner) {
            this.function = function;
            this.result = result;
            this.owner = owner;
        }

        @Override
        void run() {
            try {
                result.complete(function.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        }

        @Override
        void refuse() {
            result.completeExceptionally(new UrmaException(UrmaStatus.EINVAL, owner, "is closed"));
        }
    }

    /** Ends the thread behind its tasks, and waits for that. Returns whether it has ended. */
    boolean close(Duration timeout) {
        post(new Task() {
            @Override
            void run() {
                ended = true;
            }

            @Override
            void refuse() {}
        });
        boolean interrupted = false;
        long deadline = System.nanoTime() + timeout.toNanos();
        for (long left = timeout.toNanos(); thread.isAlive() && left > 0; left = deadline - System.nanoTime()) {
            try {
                thread.join(Duration.ofNanos(left));
            } catch (InterruptedException e) {
                interrupted = true; // what it uses is freed next
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
