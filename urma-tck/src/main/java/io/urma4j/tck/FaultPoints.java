package io.urma4j.shm.crash;

import io.urma4j.libc.Signal;
import org.jspecify.annotations.Nullable;

/** In the victim: what happens when a {@link FaultPoint} is reached. */
public final class FaultPoints {
    private static volatile @Nullable String armed; // written under the lock of the class, which guards the others
    private static int left;
    private static Signal signal = Signal.KILL;

    private FaultPoints() {}

    /**
     * Sends this process a signal when it passes a point.
     *
     * @param times the number of the pass, from 1
     */
    static synchronized void arm(FaultPoint point, Signal what, int times) {
        signal = what;
        left = times;
        armed = point.name();
    }

    /** No signal is sent after it has returned. */
    static synchronized void disarm() {
        armed = null;
    }

    /** The copies of the library's classes call this. */
    public static void reached(String point) {
        if (point.equals(armed)) {
            pass(point);
        }
    }

    /** The lock is held until the signal has been sent: a stop that came after {@link #disarm} would never end. */
    private static synchronized void pass(String point) {
        if (point.equals(armed) && --left == 0) {
            armed = null;
            signal.sendTo(Math.toIntExact(ProcessHandle.current().pid()));
        }
    }
}
