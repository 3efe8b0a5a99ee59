package io.urma4j.cuda;

import io.urma4j.peer.DmaEngine.EventListener;

/** An event of the user for whose end a listener waits: the polling thread of its device asks for it. */
final class EventWait {
    private final CudaDevice device;
    private final long event;
    private final EventListener listener;

    EventWait(CudaDevice device, long event, EventListener listener) {
        this.device = device;
        this.event = event;
        this.listener = listener;
    }

    /** On the polling thread: reports the end if it has come. Returns whether it has. */
    boolean endIfDone() {
        RuntimeException failure = device.loss().get();
        if (failure == null) {
            try {
                if (!device.driver().isDone(event)) {
                    return false;
                }
            } catch (RuntimeException e) {
                failure = device.loss().failed(e);
            }
        }
        listener.ended(failure);
        return true;
    }

    /** Its device has closed. If the event ends at the same time, the first of both counts. */
    void refuse() {
        listener.ended(device.closed());
    }
}
