package io.urma4j.internal.flight;

import io.urma4j.AsyncEvent;
import io.urma4j.TransportPath;
import io.urma4j.buffer.LeakRecord;
import io.urma4j.buffer.PoolStats;
import java.util.List;
import java.util.function.Supplier;

/**
 * Tells the Flight Recorder, where the runtime has one: the module {@code jdk.jfr} is optional. Nothing is
 * turned into text without a recording. Token values are never recorded (S1.3).
 */
public final class Flight {
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private Flight() {}

    /** A step that takes time; told when it ends. */
    @FunctionalInterface
    public interface Step {
        /** It ended; {@code result} says how, in a word. */
        void end(Object object, Object result);
    }

    private static final Step UNTOLD = (object, result) -> {};

    public static void contextOpened(Object context) {
        if (PRESENT) {
            FlightEvents.contextOpened(context);
        }
    }

    /**
     * Has the paths of a context recorded, once a second while a recording asks for that.
     *
     * @param context its name
     * @return ends it
     */
    public static Runnable paths(String context, Supplier<List<TransportPath>> paths) {
        return PRESENT ? PathEvents.begin(context, paths) : () -> {};
    }

    public static void contextClosed(Object context) {
        if (PRESENT) {
            FlightEvents.contextClosed(context);
        }
    }

    public static void segmentRegistered(Object segment, Object access) {
        if (PRESENT) {
            FlightEvents.segmentRegistered(segment, access);
        }
    }

    /** A segment, JFR or Jetty is being imported. */
    public static Step importing(Object context) {
        return PRESENT ? FlightEvents.importing(context) : UNTOLD;
    }

    /** A segment is being taken back from its importers. */
    public static Step revoking() {
        return PRESENT ? FlightEvents.revoking() : UNTOLD;
    }

    public static void raised(AsyncEvent event) {
        if (PRESENT) {
            FlightEvents.raised(event);
        }
    }

    /** A message found no receive work request, the first of its flow. */
    public static void receiverNotReady(Object queue, Object target) {
        if (PRESENT) {
            FlightEvents.receiverNotReady(queue, target);
        }
    }

    /**
     * Has the state of a buffer pool recorded, once a second while a recording asks for that.
     *
     * @return ends it
     */
    public static Runnable pool(String pool, Supplier<PoolStats> stats) {
        return PRESENT ? FlightEvents.pool(pool, stats) : () -> {};
    }

    /** A request waits for memory of a pool. */
    public static Step bufferWait() {
        return PRESENT ? FlightEvents.bufferWait() : UNTOLD;
    }

    /** A handle was lost without close. */
    public static void bufferLost(LeakRecord leak) {
        if (PRESENT) {
            FlightEvents.bufferLost(leak);
        }
    }
}
