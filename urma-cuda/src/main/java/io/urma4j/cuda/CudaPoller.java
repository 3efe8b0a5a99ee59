package io.urma4j.cuda;

import io.urma4j.cuda.CudaThread.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Asks for the events of a device's copies, on a thread of its own, but for a {@link LoneCopy}. A stream ends its copies in
 * their order, so that the oldest of each is asked for alone.
 */
final class CudaPoller {
    private final CudaDevice device;
    private final CudaThread thread;
    private final List<CudaStream> streams = new ArrayList<>(); // with copies; only the thread
    private final Queue<EventWait> events =
            new ConcurrentLinkedQueue<>(); // added by any thread, asked for by the thread
    private boolean hasContext; // only the thread
    private volatile boolean closed;

    CudaPoller(CudaDevice device) {
        this.device = device;
        this.thread = new CudaThread("urma-cuda-" + device.ordinal() + "-poll", this::round);
    }

    void start() {
        thread.start();
    }

    /** Takes over a copy that the driver has. */
    void post(CudaWork work) {
        thread.post(work);
    }

    /** On the thread: a copy that {@link #post} brought. */
    void take(CudaWork work) {
        enterContext();
        CudaStream stream = work.stream();
        if (!stream.isPolled()) {
            streams.add(stream);
        }
        stream.poll(work);
    }

    /** Asks for an event from now on. */
    void add(EventWait wait) {
        events.add(wait);
        if (closed) { // and may have refused the others already
            refuseEvents();
        }
        thread.wake();
    }

    /** Refuses the events, and later ones. */
    void refuse() {
        closed = true;
        refuseEvents();
    }

    private void refuseEvents() {
        for (EventWait wait = events.poll(); wait != null; wait = events.poll()) {
            wait.refuse();
        }
    }

    private void enterContext() {
        if (!hasContext) {
            hasContext = true;
            try {
                device.driver().setCurrentContext(device.context());
            } catch (CudaException e) {
                device.loss().lose(e);
            }
        }
    }

    private Pace round() {
        boolean hasEnded = pollEvents();
        for (int i = streams.size() - 1; i >= 0; i--) {
            CudaStream stream = streams.get(i);
            hasEnded |= stream.pollEvents() > 0;
            if (!stream.isPolled()) {
                streams.set(i, streams.getLast());
                streams.removeLast();
            }
        }
        if (hasEnded) {
            return Pace.PROGRESS;
        }
        if (!streams.isEmpty() || !events.isEmpty()) {
            return Pace.PENDING;
        }
        return device.slots().areTaken() ? Pace.READY : Pace.IDLE;
    }

    private boolean pollEvents() {
        if (events.isEmpty()) {
            return false;
        }
        enterContext();
        return events.removeIf(EventWait::endIfDone);
    }

    /** The device is lost: ends the copies at once. */
    void wake() {
        thread.wake();
    }

    /** Ends the thread, and refuses the events that are left. Returns whether it has ended. */
    boolean close(Duration timeout) {
        boolean hasEnded = thread.close(timeout);
        refuse(); // also where the driver does not return to the thread
        return hasEnded;
    }
}
