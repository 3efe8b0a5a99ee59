package io.urma4j.shm.crash;

import io.urma4j.libc.Signal;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** In the victim: what happens when a {@link FaultPoint} is reached. */
public final class FaultPoints {
    private static final AtomicInteger LEFT = new AtomicInteger();
    private static volatile @Nullable String armed;
    private static volatile Signal signal = Signal.KILL;

    private FaultPoints() {}

    /**
     * Sends this process a signal when it passes a point.
     *
     * @param times the number of the pass, from 1
     */
    static void arm(FaultPoint point, Signal what, int times) {
        signal = what;
        LEFT.set(times);
        armed = point.name();
    }

    static void disarm() {
        armed = null;
    }

    /** The copies of the library's classes call this. */
    public static void reached(String point) {
        if (point.equals(armed) && LEFT.decrementAndGet() == 0) {
            armed = null;
            signal.sendTo(Math.toIntExact(ProcessHandle.current().pid()));
        }
    }
}
