package io.urma4j.udma.link;

import io.urma4j.tck.HomeObject;
import java.time.Duration;

/** A process in a namespace: one context on {@code udma0}, a segment of its own, and a queue. */
interface Guest extends HomeObject {
    /** Opens the context; what the device says of its port, or why it could not be opened. */
    String open(String runtimeDirectory, Duration importTimeout, Duration errTimeout);

    /** The line of its segment. */
    String share();

    /** Imports a segment by its line; "imported", or the refusal. */
    String importSegment(String line);

    /** Writes that many bytes into what was imported last; the status of the record, and the state of the queue. */
    String write(int lengthBytes);

    /** Has the queue READY again. */
    void revive();

    /** Waits for the next event of a type; its text, or empty when there was none in time. */
    String event(String type, Duration patience);

    /** What the device says of its port now. */
    String port();
}
