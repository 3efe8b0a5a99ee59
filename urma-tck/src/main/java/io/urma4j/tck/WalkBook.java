package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The work requests that the queues of a walk have accepted, by user context. It checks that each has one result, and
 * that the home agrees with it. A WRITE stores its user context in its own place of the home's memory; a SEND carries
 * it as immediate.
 */
final class WalkBook {
    /** Places of 8 bytes in the home's memory, one for each work request. */
    static final int PLACES = 1024;

    /** What a work request does when it succeeds. */
    enum Kind {
        WRITE,
        /** Waits for a receive. */
        SEND,
        /** Fails, and does nothing. */
        DOOMED
    }

    private enum Fate {
        OPEN,
        SUCCESS,
        /** May have been executed, wholly or in part. */
        FAILED,
        NEVER_STARTED
    }

    /** A work request that was accepted. */
    private static final class Posted {
        final WalkQueue queue;
        final Kind kind;
        final boolean isSignalled;
        Fate fate = Fate.OPEN;

        Posted(WalkQueue queue, Kind kind, boolean isSignalled) {
            this.queue = queue;
            this.kind = kind;
            this.isSignalled = isSignalled;
        }
    }

    private final List<Posted> all = new ArrayList<>(); // the first has user context 1: 0 is that of markers
    private final int[] received = new int[PLACES];
    private final StringBuilder story = new StringBuilder();

    /** The steps so far, for a failure's message. */
    String story() {
        return story.toString();
    }

    void tell(String what) {
        story.append(' ').append(what).append(',');
    }

    /** The user context of the next work request. */
    long next() {
        return all.size() + 1L;
    }

    boolean isFull() {
        return next() >= PLACES;
    }

    void accepted(WalkQueue queue, Kind kind, boolean isSignalled) {
        all.add(new Posted(queue, kind, isSignalled));
    }

    private Posted at(long context) {
        assertThat(context).as("a work request's user context").isBetween(1L, (long) all.size());
        return all.get((int) context - 1);
    }

    WalkQueue queueOf(long context) {
        return at(context).queue;
    }

    boolean isSignalled(long context) {
        return at(context).isSignalled;
    }

    boolean isOpen(long context) {
        return at(context).fate == Fate.OPEN;
    }

    boolean isSuccess(long context) {
        return at(context).fate == Fate.SUCCESS;
    }

    boolean isAnyOpen(WalkQueue queue) {
        return all.stream().anyMatch(posted -> posted.queue == queue && posted.fate == Fate.OPEN);
    }

    boolean isAnySignalledOpen(WalkQueue queue) {
        return all.stream().anyMatch(posted -> posted.queue == queue && posted.fate == Fate.OPEN && posted.isSignalled);
    }

    /** A work request has its result. */
    void end(WalkQueue queue, long context, CompletionStatus status) {
        Posted posted = at(context);
        assertThat(posted.queue).as("queue of " + context).isSameAs(queue);
        assertThat(posted.fate).as("fate of " + context + " before " + status).isEqualTo(Fate.OPEN);
        posted.fate = switch (status) {
            case SUCCESS -> Fate.SUCCESS;
            case WR_UNHANDLED -> Fate.NEVER_STARTED;
            default -> Fate.FAILED;
        };
    }

    /** Checks that all accepted work has its result by now, except for successes that make no record. */
    void endSilently(WalkQueue queue) {
        for (int context = 1; context <= all.size(); context++) {
            Posted posted = at(context);
            if (posted.queue == queue && posted.fate == Fate.OPEN) {
                assertThat(posted.isSignalled).as(context + " has no result").isFalse();
                posted.fate = Fate.SUCCESS;
            }
        }
    }

    /** The queue was closed before all had ended: the fate of the rest is unknown. */
    void giveUp(WalkQueue queue) {
        for (Posted posted : all) {
            if (posted.queue == queue && posted.fate == Fate.OPEN) {
                posted.fate = Fate.FAILED;
            }
        }
    }

    /** A message has arrived. */
    void received(Outcome message) {
        assertThat(message.isSuccess())
                .as("a message that was taken: " + message)
                .isTrue();
        received[(int) message.immediate().orElseThrow()]++;
    }

    /** Checks that the home's memory and its received messages agree with the results. */
    void assertHolds(HomeSegment memory) {
        ByteBuffer words =
                ByteBuffer.wrap(memory.get(0, (int) next() * Long.BYTES)).order(ByteOrder.nativeOrder());
        for (int context = 1; context <= all.size(); context++) {
            if (at(context).kind == Kind.WRITE) {
                assertDone(context, words.getLong(context * Long.BYTES) == context ? 1 : 0);
            }
        }
        assertReceived();
    }

    /** Checks that the received messages agree with the results. */
    void assertReceived() {
        for (int context = 1; context <= all.size(); context++) {
            if (at(context).kind != Kind.WRITE) {
                assertDone(context, received[context]);
            }
        }
    }

    private void assertDone(int context, int times) {
        Posted posted = at(context);
        assertThat(times)
                .as(posted.kind + " " + context + ", whose fate was " + posted.fate)
                .matches(done -> switch (posted.fate) {
                    case SUCCESS -> done == 1;
                    case NEVER_STARTED -> done == 0;
                    case OPEN, FAILED -> done <= (posted.kind == Kind.DOOMED ? 0 : 1);
                });
    }
}
