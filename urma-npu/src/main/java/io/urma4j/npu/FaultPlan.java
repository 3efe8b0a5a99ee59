package io.urma4j.npu;

import java.util.ArrayList;
import java.util.List;

/** What goes wrong, and when: the nth call of a step runs an action first, which may throw, wait or call back. Any thread. */
public final class FaultPlan {
    private final List<Fault> faults = new ArrayList<>(); // guarded by this

    private static final class Fault {
        final String step;
        final Runnable action;
        int left;

        Fault(String step, int left, Runnable action) {
            this.step = step;
            this.left = left;
            this.action = action;
        }
    }

    FaultPlan() {}

    /**
     * Plans a fault.
     *
     * @param step {@code acquire}, {@code getPages}, {@code dmaMap}, {@code mapPage}, {@code dmaUnmap}, {@code putPages}, {@code
     *     release}, {@code copy}, {@code share}, {@code unshare}, {@code open}
     * @param nth from 1: the call from now on
     * @param action runs before that call, on its thread
     */
    public synchronized void on(String step, int nth, Runnable action) {
        faults.add(new Fault(step, nth, action));
    }

    /** The step is about to run. */
    void before(String step) {
        List<Runnable> due = new ArrayList<>();
        synchronized (this) {
            faults.removeIf(fault -> {
                boolean now = fault.step.equals(step) && --fault.left == 0;
                if (now) {
                    due.add(fault.action);
                }
                return now;
            });
        }
        due.forEach(Runnable::run);
    }
}
