package io.urma4j.internal.flight;

import java.util.Map;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * Events that the recorder asks for: at their period, on a thread of its own, and only while a recording has them enabled. Nothing is
 * registered before a recorder exists: that would make one.
 */
final class PeriodicEvents implements FlightRecorderListener {
    private final Map<Class<? extends Event>, Runnable> recordings;

    private PeriodicEvents(Map<Class<? extends Event>, Runnable> recordings) {
        this.recordings = recordings;
    }

    /** Has events of these types recorded; the result ends that. */
    static Runnable begin(Map<Class<? extends Event>, Runnable> recordings) {
        PeriodicEvents events = new PeriodicEvents(recordings);
        FlightRecorder.addListener(events); // calls recorderInitialized at once where there is a recorder
        return events::end;
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        recordings.forEach(FlightRecorder::addPeriodicEvent);
    }

    private void end() {
        FlightRecorder.removeListener(this);
        recordings.values().forEach(FlightRecorder::removePeriodicEvent);
    }
}
