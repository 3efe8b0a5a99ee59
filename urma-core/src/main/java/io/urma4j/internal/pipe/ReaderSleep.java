package io.urma4j.internal.pipe;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.LocalSegment;
import io.urma4j.PipeReader;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.ClosingOrder;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectableChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the reader of a pipe sleeps, and what wakes it. Made when a reader sleeps for the first time.
 *
 * <p>Where the device itself places what arrives, it sees each frame, and tells. Where the writer stores to the memory
 * itself, the reader has a flag there that the writer looks at behind each frame, and a JFR: the writer lowers the flag and
 * sends an empty message ({@link ReaderWakeUp}). In both cases the reader {@linkplain #arm raises} its flag, then looks for
 * a frame, then sleeps; the other side places a frame, then looks at the flag. At least one of the two sees the other.
 *
 * <p>For the reading thread; {@link #close} may come from any.
 */
public final class ReaderSleep implements AutoCloseable {
    /** Receives handed in. One wake-up is in flight at most, unless the writer keeps no rules. */
    private static final int WAKE_UPS = 8;

    private static final VarHandle U64 = JAVA_LONG.varHandle();

    private final PipeReader reader;
    private final LocalSegment segment;
    private final MemorySegment memory;
    private final int capacityBytes;
    private final ClosingOrder parts = new ClosingOrder(this);
    private final Jfce jfce;
    private final Jfc jfc;
    private final @Nullable Jfr jfr; // null where the device sees what arrives
    private final CompletionBatch records = new CompletionBatch(WAKE_UPS);
    private boolean isArmed;
    private volatile boolean asleep; // the flag where the device sees what arrives

    /** For the pipe whose bytes are {@code segment}. */
    ReaderSleep(PipeReader reader, LocalSegment segment, int capacityBytes) {
        this.reader = reader;
        this.segment = segment;
        this.memory = segment.memory();
        this.capacityBytes = capacityBytes;
        UrmaContext context = segment.context();
        try {
            jfce = parts.add(context.createJfce(), 0);
            jfc = parts.add(context.createJfc(JfcConfig.DEFAULT.withDepth(WAKE_UPS), jfce), 0);
            jfr = ApiAccess.api().watch(segment, this::arrived) ? null : openJfr(context);
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    private Jfr openJfr(UrmaContext context) {
        JfrConfig config = JfrConfig.builder().depth(WAKE_UPS).maxSges(1).build();
        Jfr made = parts.add(context.createJfr(jfc, config), 0);
        for (int i = 0; i < WAKE_UPS; i++) {
            handIn(made);
        }
        byte[] line = made.share().getBytes(StandardCharsets.US_ASCII);
        if (line.length > PipeLayout.MAX_LINE_BYTES) {
            throw new UrmaException(
                    UrmaStatus.FAIL,
                    reader,
                    "the line of its JFR has " + line.length + " characters, more than the limit of "
                            + PipeLayout.MAX_LINE_BYTES);
        }
        long lineAt = PipeLayout.lineAt(capacityBytes);
        MemorySegment.copy(line, 0, memory, JAVA_BYTE, lineAt + Long.BYTES, line.length);
        U64.setRelease(memory, lineAt, (long) line.length);
        return made;
    }

    /** For an empty message, which touches no byte of it. */
    private void handIn(Jfr to) {
        to.receive(segment, PipeLayout.wakeUpAt(capacityBytes), Long.BYTES, 0);
    }

    /** A frame was placed, behind a full fence. On any thread. */
    private void arrived() {
        if (asleep) {
            asleep = false;
            ApiAccess.api().raise(jfce, jfc);
        }
    }

    /** Asks to be woken; the reader looks once more after that, and sleeps then. */
    public void arm() {
        isArmed = true;
        if (jfr != null) {
            for (int i = jfc.poll(records); i > 0; i--) {
                handIn(jfr);
            }
            jfc.rearm(false); // fires at once when there are records still
            U64.setVolatile(memory, PipeLayout.ASLEEP_AT, 1L);
        } else {
            asleep = true;
        }
        VarHandle.fullFence();
    }

    /** No wake-up is wanted: placing a frame costs its writer no more than the look at the flag. */
    public void disarm() {
        if (isArmed) {
            isArmed = false;
            asleep = false;
            U64.setOpaque(memory, PipeLayout.ASLEEP_AT, 0L);
        }
    }

    /** Sleeps until there is an event, at most so long; whether there was one. */
    public boolean await(long nanos) throws InterruptedException {
        return jfce.await(Duration.ofNanos(Math.max(0, nanos))).isPresent();
    }

    /** Takes the events that are there: the channel is readable no longer. */
    public void drain() throws InterruptedException {
        for (int i = 0; i <= WAKE_UPS && await(0); i++) {}
    }

    /** Readable soon after an event, until an {@link #await} finds none. */
    public SelectableChannel channel() {
        return jfce.channel();
    }

    @Override
    public void close() {
        ClosingOrder.throwIfFailed(parts.closeAll());
    }

    @Override
    public String toString() {
        return "sleep of " + reader;
    }
}
