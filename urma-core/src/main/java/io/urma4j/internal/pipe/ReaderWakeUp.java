package io.urma4j.internal.pipe;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.JettyId;
import io.urma4j.MessageChannel;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.message.MessageSender;
import io.urma4j.internal.message.Sending;
import io.urma4j.spi.support.Pause;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the reader of a mapped pipe: by an empty message to the JFR whose line the reader has put behind its frames.
 *
 * <p>A virtual thread does that, one at a time, since it may have to wait: the sending thread goes on, whatever the reader
 * does. A reader that asks to be woken and takes no message, or gives a line that leads nowhere, costs an attempt a second.
 */
final class ReaderWakeUp implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long PAUSE_NANOS = 1_000_000_000; // after a failure
    private static final long LAST_NANOS = 1_000_000_000; // for the wake-up that tells the end
    private static final long LOOK_NANOS = 100_000;
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private static final int IDLE = 0;
    private static final int WANTED = 1;
    private static final int SENDING = 2;

    private final RemoteSegment segment;
    private final MemorySegment memory;
    private final long lineAt;
    private final AtomicInteger state = new AtomicInteger();
    private @Nullable MessageSender sender; // guarded by this
    private volatile boolean isClosed; // written under the lock of this

    ReaderWakeUp(RemoteSegment segment, MemorySegment memory, int capacityBytes) {
        this.segment = segment;
        this.memory = memory;
        this.lineAt = PipeLayout.lineAt(capacityBytes);
    }

    /** The reader sleeps, and has something to read. Returns at once. */
    void wake() {
        if (state.getAndSet(WANTED) == IDLE) {
            ResultExecutors.VIRTUAL_THREADS.execute(this::sendWhileWanted);
        }
    }

    private void sendWhileWanted() {
        do {
            state.set(SENDING);
            while (!send() && !isClosed && !segment.isRevoked()) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        } while (!state.compareAndSet(SENDING, IDLE));
    }

    /** Whether the reader took it. */
    private boolean send() {
        try {
            MessageSender to = open();
            Sending sending = to.begin(NOTHING, OptionalLong.empty(), TIMEOUT);
            if (sending != null) {
                to.finish(sending, TIMEOUT);
                return true;
            }
        } catch (UrmaException | IllegalStateException | InterruptedException e) {
            // the reader keeps no rules, is slow or gone, or the pipe was closed
        }
        closeSender();
        return false;
    }

    private MessageSender open() {
        synchronized (this) {
            if (sender != null) {
                return sender;
            }
        }
        MessageSender made = newSender();
        synchronized (this) {
            if (!isClosed) {
                sender = made;
                return made;
            }
        }
        made.close();
        return made; // which refuses: it is closed
    }

    private MessageSender newSender() {
        SharedJetty reader = SharedJetty.parse(line());
        JettyId id = reader.descriptor().id();
        if (!id.eid().equals(segment.descriptor().eid())
                || id.uasid() != segment.descriptor().uasid()) {
            // or a reader could have us send to others
            throw Checks.noPermission(segment, "requests wake-ups at " + id + ", a queue of another context");
        }
        UrmaContext context = segment.context();
        var options = MessageChannel.Options.builder()
                .maxMessageBytes(1)
                .sendBuffers(1)
                .sendTimeout(TIMEOUT)
                .build();
        return new MessageSender(context, options, context.importJetty(reader), this);
    }

    private String line() {
        long length = lineAt + Long.BYTES + PipeLayout.MAX_LINE_BYTES > memory.byteSize()
                ? 0 // a reader of the first version, which never sleeps
                : memory.get(JAVA_LONG, lineAt);
        if (length <= 0 || length > PipeLayout.MAX_LINE_BYTES) {
            throw new UrmaException(
                    UrmaStatus.FAIL,
                    segment,
                    "has a wake-up address of " + length + " bytes, must be 1…" + PipeLayout.MAX_LINE_BYTES);
        }
        byte[] line = new byte[(int) length];
        MemorySegment.copy(memory, JAVA_BYTE, lineAt + Long.BYTES, line, 0, line.length);
        return new String(line, StandardCharsets.US_ASCII);
    }

    private void closeSender() {
        MessageSender last;
        synchronized (this) {
            last = sender;
            sender = null;
        }
        if (last != null) {
            last.close();
        }
    }

    /** Ends it. A wake-up in flight may be the one that tells the end, so it has a second to arrive. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + LAST_NANOS;
        while (state.get() != IDLE && System.nanoTime() - deadline < 0) {
            Pause.nanos(this, LOOK_NANOS);
        }
        synchronized (this) {
            isClosed = true;
        }
        closeSender();
    }

    @Override
    public String toString() {
        return "wake-up of the reader of " + segment;
    }
}
