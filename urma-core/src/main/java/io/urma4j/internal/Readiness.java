package io.urma4j.internal;

import io.urma4j.Jfce;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;

/**
 * A pipe whose readable end says that events are waiting: with one byte in it they may be, without one they are not. It
 * is {@link Jfce}'s, and guarded by its lock; so the byte and the set of events change together.
 */
public final class Readiness {
    private final Pipe pipe;
    private final ByteBuffer one = ByteBuffer.allocate(1);
    private boolean raised;

    public Readiness() throws IOException {
        pipe = Pipe.open();
        try {
            // both ends: a channel that never blocks is not closed either when its thread is interrupted
            pipe.source().configureBlocking(false);
            pipe.sink().configureBlocking(false);
        } catch (IOException e) {
            close(pipe.sink());
            close(pipe.source());
            throw e;
        }
    }

    public SelectableChannel channel() {
        return pipe.source();
    }

    /** False once the application has closed the channel, as it may. */
    public boolean isOpen() {
        return pipe.source().isOpen();
    }

    /** Events are waiting: from now on the channel is readable. */
    public void raise() throws IOException {
        if (!raised) {
            pipe.sink().write(one.clear());
            raised = true;
        }
    }

    /** No event is waiting. */
    public void lower() throws IOException {
        if (raised) {
            raised = false;
            pipe.source().read(one.clear());
        }
    }

    /**
     * Ends it. A channel that a selector waits for stays open and is readable from now on: were it closed, a select that
     * begins just now would wait for nothing, for ever. Any other channel is closed.
     */
    public void close() {
        close(pipe.sink());
        synchronized (pipe.source().blockingLock()) { // which registering takes, too
            if (!pipe.source().isRegistered()) {
                close(pipe.source());
            }
        }
    }

    private static void close(Channel end) {
        try {
            end.close();
        } catch (IOException e) {
            // a descriptor of our own: it is gone all the same
        }
    }
}
