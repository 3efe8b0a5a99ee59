package io.urma4j.cuda;

import io.urma4j.cuda.CudaThread.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks for the events of a device's copies, on a thread of its own, but for a {@link LoneCopy}. A stream ends its copies in
 * their order, so that the oldest of each is asked for alone.
 */
final class CudaPoller {
    private final CudaDevice device;
    private final CudaThread thread;
    private final List<CudaStream> streams = new ArrayList<>(); // with copies; both only the thread
    private final List<EventWait> events = new ArrayList<>(); // only the thread
    private boolean hasContext;

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

    /** Takes over an event that is to be asked for. */
    void post(EventWait wait) {
        thread.post(wait);
    }

    /** On the thread: an event that {@link #post} brought. */
    void take(EventWait wait) {
        enterContext();
        events.add(wait);
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
        int waiting = events.size();
        events.removeIf(EventWait::endIfDone);
        int ended = waiting - events.size();
        for (int i = streams.size() - 1; i >= 0; i--) {
            CudaStream stream = streams.get(i);
            ended += stream.pollEvents();
            if (!stream.isPolled()) {
                streams.set(i, streams.getLast());
                streams.removeLast();
            }
        }
        if (ended > 0) {
            return Pace.PROGRESS;
        }
        if (!streams.isEmpty() || !events.isEmpty()) {
            return Pace.PENDING;
        }
        return device.slots().areTaken() ? Pace.READY : Pace.IDLE;
    }

    /** The device is lost: ends the copies at once. */
    void wake() {
        thread.wake();
    }

    boolean close(Duration timeout) {
        boolean hasEnded = thread.close(timeout);
        if (hasEnded) {
            events.forEach(EventWait::refuse);
            events.clear();
        }
        return hasEnded;
    }
}
