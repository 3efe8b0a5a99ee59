package io.urma4j.udma.driver;

import io.urma4j.peer.DeviceEvent;

/** Tells the card that events of devices are done for which work requests of one queue wait. Safe for any thread. */
final class EventWaits {
    private final Adapter adapter;
    private volatile int handle;
    private volatile boolean closed;

    EventWaits(Adapter adapter) {
        this.adapter = adapter;
    }

    /** The queue exists on the card. */
    void open(int queue) {
        handle = queue;
    }

    /** The work request of {@code position}, which the card has or is about to see, waits for {@code event}. */
    void add(DeviceEvent event, long position) {
        // on the engine's thread: that of the event's client may be one that device copies need
        event.whenDone(() -> adapter.engine().submit(() -> ended(event, position)));
    }

    private void ended(DeviceEvent event, long position) {
        adapter.eventLoop().run(card -> {
            if (!closed) { // else its handle may be that of another queue
                card.eventEnded(handle, position, event.failure() != null, adapter.nanos());
            }
        });
    }

    /** Before the queue is destroyed on the card. */
    void close() {
        closed = true;
    }
}
