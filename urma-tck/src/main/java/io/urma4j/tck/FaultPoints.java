package io.urma4j.tck;

import org.jspecify.annotations.Nullable;

/** In the victim: what happens when a {@link FaultPlace} is reached. Safe for any thread. */
public final class FaultPoints {
    private static volatile @Nullable String armed; // written under the lock of the class, which guards the others
    private static int left;
    private static Runnable strike = () -> {};

    private FaultPoints() {}

    /**
     * Strikes when this process passes a place, in the thread that does.
     *
     * @param name of the place
     * @param how kills or stops this process, before it returns
     * @param times the number of the pass, from 1
     */
    public static synchronized void arm(String name, Runnable how, int times) {
        strike = how;
        left = times;
        armed = name;
    }

    /** Nothing strikes after it has returned. */
    public static synchronized void disarm() {
        armed = null;
    }

    /** The copies of the library's classes call this. */
    public static void reached(String name) {
        if (name.equals(armed)) {
            pass(name);
        }
    }

    /** The lock is held until it has struck: a stop that came after {@link #disarm} would never end. */
    private static synchronized void pass(String name) {
        if (name.equals(armed) && --left == 0) {
            armed = null;
            strike.run();
        }
    }
}
