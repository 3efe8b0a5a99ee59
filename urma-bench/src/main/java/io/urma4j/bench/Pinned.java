package io.urma4j.bench;

import io.urma4j.libc.Cpus;
import java.util.BitSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Runs things in a thread that stays on one CPU. */
public final class Pinned {
    /** The CPUs of the process, read before any thread is pinned: a pinned thread and its children see only its CPU. */
    private static final BitSet ALLOWED = Cpus.allowed();

    private Pinned() {}

    /** What is measured, in a suite. */
    @FunctionalInterface
    interface Task {
        void run() throws Exception;
    }

    /** The n-th CPU that this process may use, counted from 0; the last one when there are fewer. */
    public static int cpu(int index) {
        int cpu = ALLOWED.nextSetBit(0);
        for (int i = 0; i < index && ALLOWED.nextSetBit(cpu + 1) >= 0; i++) {
            cpu = ALLOWED.nextSetBit(cpu + 1);
        }
        return cpu;
    }

    /** Ties the calling thread, and those that it starts. */
    public static void pin(int index) {
        BitSet one = new BitSet();
        one.set(cpu(index));
        Cpus.pinCurrentThread(one);
    }

    /** Lets the calling thread, and those that it starts, go wherever the process may. */
    public static void free() {
        Cpus.pinCurrentThread((BitSet) ALLOWED.clone());
    }

    /** {@link #run} of a task without checked exceptions. */
    static void runUnchecked(int index, Runnable task) {
        try {
            run(index, task::run);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("interrupted while measuring", e);
        }
    }

    /** Runs the task in a new thread on the n-th CPU, and waits for its end. */
    static void run(int index, Task task) throws Exception {
        FutureTask<Boolean> future = new FutureTask<>(() -> {
            pin(index);
            task.run();
            return true;
        });
        Thread thread = new Thread(future, "measure");
        thread.start();
        try {
            future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }
}
