package io.urma4j.udma.device;

import io.urma4j.udma.transport.FlushHint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tasks that have work. Each runs once in a round, in the order in which they became ready. */
final class ReadyList {
    private final ArrayDeque<Task> ready = new ArrayDeque<>();
    private final List<Task> ofNextStep = new ArrayList<>();

    /** The task has work. */
    void add(Task task) {
        if (!task.isReady) {
            task.isReady = true;
            ready.addLast(task);
        }
    }

    /** The task has work in the next step: it left something for it, or waits for space. */
    void addToNextStep(Task task) {
        if (!ofNextStep.contains(task)) {
            ofNextStep.add(task);
        }
    }

    boolean isEmpty() {
        return ready.isEmpty();
    }

    /** Whether a task has work in the next step. */
    boolean awaitsNextStep() {
        return !ofNextStep.isEmpty();
    }

    void beginStep() {
        for (int i = 0; i < ofNextStep.size(); i++) {
            add(ofNextStep.get(i));
        }
        ofNextStep.clear();
    }

    /** The only task that has work; null if none has, or several have. */
    @Nullable
    Task only() {
        return ready.size() == 1 ? ready.peekFirst() : null;
    }

    /** Whether no other task has work. */
    @SuppressWarnings("ReferenceEquality") // a task is itself
    boolean hasAtMost(Task task) {
        return ready.isEmpty() || only() == task;
    }

    /** The {@linkplain #only only} task has done its work. */
    void removeOnly() {
        Task done = ready.pollFirst();
        if (done != null) {
            done.isReady = false;
        }
    }

    /** Runs each task once. */
    void runRound(long nowNanos, FlushHint hint) {
        for (int i = ready.size(); i > 0; i--) {
            Task task = ready.removeFirst();
            assert task.isReady : task + " is in line twice";
            task.isReady = false;
            if (task.step(nowNanos, hint)) {
                add(task);
            }
        }
    }

    /** The task has ended. */
    void remove(Task task) {
        ready.remove(task);
        ofNextStep.remove(task);
    }
}
