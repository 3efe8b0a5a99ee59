package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaContext;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A send queue with its JFC: posts, and waits for results. Methods that post and wait expect no other work in flight.
 */
public final class SendSide {
    private final Jfs jfs;
    private final Jfc jfc;
    private final Poller poller;
    private final LocalSegment scratch;

    SendSide(UrmaContext context, Jfc jfc, Jfs jfs) {
        this.jfs = jfs;
        this.jfc = jfc;
        this.poller = new Poller(jfc);
        this.scratch = context.register(context.allocate(4096), Access.LOCAL_ONLY);
    }

    public Jfs jfs() {
        return jfs;
    }

    public Jfc jfc() {
        return jfc;
    }

    /** 4 KiB of local memory for results and small payloads. */
    public LocalSegment scratch() {
        return scratch;
    }

    /** The next record. */
    public Outcome awaitCompletion() {
        return poller.next();
    }

    /** The next {@code count} records. */
    public List<Outcome> awaitCompletions(int count) {
        return poller.next(count);
    }

    /** All records that come within {@code time}. */
    public List<Outcome> within(Duration time) {
        return poller.within(time);
    }

    /** Records up to the end of the error drain. */
    public List<Outcome> untilDrained() {
        return poller.untilDrained();
    }

    /** Records up to the marker of the suspension. */
    public List<Outcome> untilSuspended() {
        return poller.until(outcome -> outcome.status() == CompletionStatus.WR_SUSPEND_DONE);
    }

    /** Suspends a queue that has nothing in flight. */
    public void suspend() {
        jfs.modify(QueueState.SUSPENDED);
        assertThat(untilSuspended()).hasSize(1);
    }

    /** Drains a queue in ERROR and flushes it; returns all outstanding results. */
    public List<Result> drainAndFlush() {
        List<Result> results = new ArrayList<>();
        for (Outcome outcome : untilDrained()) {
            if (!outcome.status().isMarker()) {
                results.add(new Result(outcome.status(), outcome.userContext()));
            }
        }
        for (Completion completion : jfs.flushAll()) {
            results.add(new Result(completion.status(), completion.userContext()));
        }
        return results;
    }

    /**
     * The same record by record; asserts that there is nothing to flush before the last one (S6.7). Only when no record
     * was awaited by other means before.
     */
    public List<Result> drainThenFlush() {
        List<Result> results = new ArrayList<>();
        var one = new CompletionBatch(1);
        do {
            assertThat(jfs.flush(one))
                    .as("flushed before the marker was polled")
                    .isZero();
            Patience.await("a record up to the marker, after " + results, () -> jfc.poll(one) == 1);
            if (!one.status(0).isMarker()) {
                results.add(new Result(one.status(0), one.userContext(0)));
            }
        } while (!one.isFlushErrDone(0));
        for (Completion completion : jfs.flushAll()) {
            results.add(new Result(completion.status(), completion.userContext()));
        }
        return results;
    }

    /** How a work request ended. */
    public record Result(CompletionStatus status, long userContext) {}

    public Outcome write(RemoteSegment target, long to, LocalSegment source, long from, long lengthBytes) {
        assertThat(jfs.write(target, to, source, from, lengthBytes, lengthBytes))
                .isTrue();
        return awaitCompletion();
    }

    public Outcome read(RemoteSegment source, long from, LocalSegment destination, long to, long lengthBytes) {
        assertThat(jfs.read(source, from, destination, to, lengthBytes, lengthBytes))
                .isTrue();
        return awaitCompletion();
    }

    /** From the start of the scratch memory. */
    public Outcome write(RemoteWindow target, long to, long lengthBytes) {
        assertThat(target.write(jfs, to, scratch, 0, lengthBytes, 0, PostFlags.DEFAULT))
                .isTrue();
        return awaitCompletion();
    }

    /** To the start of the scratch memory. */
    public Outcome read(RemoteWindow source, long from, long lengthBytes) {
        assertThat(source.read(jfs, from, scratch, 0, lengthBytes, 0, PostFlags.DEFAULT))
                .isTrue();
        return awaitCompletion();
    }

    public Outcome send(@Nullable TargetJetty target, LocalSegment source, long from, long lengthBytes) {
        assertThat(jfs.send(target, source, from, lengthBytes, lengthBytes)).isTrue();
        return awaitCompletion();
    }

    /** Runs an atomic to its end; the value that was there before, unsigned when of 4 bytes. */
    public long atomic(Opcode opcode, RemoteSegment target, long offset, int sizeBytes, long operand, long expected) {
        scratch.memory().set(JAVA_LONG, 0, 0x5555_5555_5555_5555L);
        assertThat(jfs.atomic(opcode, target, offset, scratch, 0, sizeBytes, operand, expected, 0, PostFlags.DEFAULT))
                .isTrue();
        assertThat(awaitCompletion()).returns(true, Outcome::isSuccess).returns(opcode, Outcome::opcode);
        return sizeBytes == 8
                ? scratch.memory().get(JAVA_LONG, 0)
                : Integer.toUnsignedLong(scratch.memory().get(JAVA_INT, 0));
    }

    /** Posts {@code count} writes of 8 bytes side by side; their user contexts count from 0. */
    public void postWrites(RemoteSegment target, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(jfs.write(target, i * 8L, scratch, 0, 8, i)).isTrue();
        }
    }

    /** Posts a list, all of which must be accepted. */
    public void postAll(WorkRequestList list) {
        assertThat(jfs.post(list)).as(() -> "accepted; " + list.refusal()).isEqualTo(list.size());
    }
}
