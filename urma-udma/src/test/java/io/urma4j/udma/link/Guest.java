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

    /** The same of a READ of what was written; also whether its bytes are the written ones. */
    String read(int lengthBytes);

    /** Writes and reads that many bytes again and again until the time is over; how many of them succeeded, and the first other status. */
    String repeat(int lengthBytes, Duration time);

    /** Fragments that the device of its only peer has sent: a context sees the counters of others. */
    long fragmentsOfPeer();

    /** Sends a message of that length to an address as to a foreign peer, which never answers. */
    void sendToForeigner(String address, int lengthBytes);

    /** Has the queue READY again. */
    void revive();

    /** Waits for the next event of a type; its text, or empty when there was none in time. */
    String event(String type, Duration patience);

    /** What the device says of its port now. */
    String port();
}
