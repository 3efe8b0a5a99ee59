package io.urma4j.shm.crash;

import io.urma4j.libc.Signal;
import io.urma4j.tck.DriverProcess;
import io.urma4j.tck.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Victims with a context each: those that survived are used again, and the next JVM starts ahead. */
final class VictimPool implements AutoCloseable {
    private final String classPath;
    private final Path runtimeDirectory;
    private final Deque<Held> free = new ArrayDeque<>();
    private final List<DriverProcess> all = new ArrayList<>();
    private CompletableFuture<DriverProcess> next;

    /** A victim in use. */
    record Held(DriverProcess process, Victim victim) {
        /** Whether it has ended, or stopped, by itself within that time. */
        boolean awaitHit(Victim.Fault fault, Duration limit) {
            return Patience.until(limit, () -> isHit(fault));
        }

        /** Whether it has ended, or stopped, by itself. */
        boolean isHit(Victim.Fault fault) {
            return switch (fault) {
                case KILL -> !process.isAlive();
                case STOP -> isStopped();
            };
        }

        /** Continues the process, and cancels further stops. */
        void release() {
            CompletableFuture<Void> disarmed = CompletableFuture.runAsync(victim::disarm);
            boolean goesOn = Patience.until(Patience.LIMIT, () -> {
                Signal.CONT.sendTo(Math.toIntExact(process.pid())); // it may have stopped since the last one
                return disarmed.isDone();
            });
            if (!goesOn) {
                throw new AssertionError(process + " does not go on");
            }
        }

        private boolean isStopped() {
            try {
                String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
                return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
            } catch (IOException e) {
                return false; // it has ended
            }
        }
    }

    VictimPool(String classPath, Path runtimeDirectory) {
        this.classPath = classPath;
        this.runtimeDirectory = runtimeDirectory;
        this.next = start();
    }

    private CompletableFuture<DriverProcess> start() {
        return CompletableFuture.supplyAsync(() -> DriverProcess.start(VictimProcess.class, List.of(), classPath));
    }

    Held take() {
        if (!free.isEmpty()) {
            return free.pop();
        }
        DriverProcess process = next.join();
        next = start();
        all.add(process);
        Victim victim = process.root(Victim.class);
        victim.open(runtimeDirectory.toString());
        return new Held(process, victim);
    }

    void giveBack(Held held) {
        free.push(held);
    }

    /** How many wait here, with a context each. */
    int waiting() {
        return free.size();
    }

    /** Ends those that wait here. */
    void retire() {
        free.forEach(held -> held.process().close());
        free.clear();
    }

    /** Ends also those that a failed test has left, which may be stopped. */
    @Override
    public void close() {
        all.forEach(DriverProcess::close);
        next.join().close();
    }
}
