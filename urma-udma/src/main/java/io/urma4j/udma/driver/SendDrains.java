package io.urma4j.udma.driver;

import io.urma4j.QueueState;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardState;
import io.urma4j.udma.command.SendStats;
import io.urma4j.udma.engine.EventLoop;
import java.util.Arrays;

/** The state changes of a send queue by a call, and the removal of its work requests (SEMANTICS §6). */
final class SendDrains {
    private static final int WORDS_EACH = 2; // position, status

    private final UdmaSendQueue queue;
    private final EventLoop eventLoop;
    private final int handle;
    private final int depth;

    SendDrains(UdmaSendQueue queue, EventLoop eventLoop, int handle, int depth) {
        this.queue = queue;
        this.eventLoop = eventLoop;
        this.handle = handle;
        this.depth = depth;
    }

    SendStats stats() {
        eventLoop.enter();
        try {
            return eventLoop.card().sendStats(handle);
        } finally {
            eventLoop.leave();
        }
    }

    void modify(QueueState next) {
        eventLoop.enter();
        try {
            QueueState now = queue.state();
            boolean isReset = now == QueueState.ERROR && next == QueueState.RESET;
            boolean isEarly = isReset && (isDraining() || !queue.endLife());
            if (isEarly || !eventLoop.card().modifySendQueue(handle, number(next), eventLoop.nanos())) {
                String why = isReset ? " before it is drained and flushed, and its records are polled" : "";
                throw new UrmaException(
                        UrmaStatus.EINVAL, queue, "cannot go from " + queue.state() + " to " + next + why);
            }
        } finally {
            eventLoop.leave();
        }
    }

    private boolean isDraining() {
        return eventLoop.card().sendStats(handle).draining();
    }

    private static int number(QueueState state) {
        return switch (state) {
            case RESET -> CardState.RESET;
            case READY -> CardState.READY;
            case SUSPENDED -> CardState.SUSPENDED;
            case ERROR -> CardState.ERROR;
        };
    }

    /** {@link UdmaSendQueue#endLife}. */
    boolean endLife() {
        eventLoop.enter();
        try {
            return queue.endLife();
        } finally {
            eventLoop.leave();
        }
    }

    /** To RESET, by way of ERROR, and without a connection. */
    void disconnect() {
        eventLoop.enter();
        try {
            eventLoop.card().disconnectRc(handle, eventLoop.nanos());
        } finally {
            eventLoop.leave();
        }
    }

    int flush(long[] words, int maxRecords) {
        long[] taken = new long[WORDS_EACH * Math.min(maxRecords, depth)];
        eventLoop.enter();
        try {
            CardCommands card = eventLoop.card();
            card.runSendQueue(handle, eventLoop.nanos()); // first: it may make the marker that must be polled before
            boolean held = queue.state() == QueueState.SUSPENDED;
            if (queue.isMarkerUnpolled()) {
                return 0; // S6.7
            }
            if (held && queue.freed() < card.sendStats(handle).heldFrom()) {
                return 0; // a slot keeps its place among the others until its elders' records were polled
            }
            int count = card.flush(handle, taken, taken.length / WORDS_EACH, eventLoop.nanos());
            tell(taken, count, words);
            if (held && count > 0) {
                queue.freeTo(taken[WORDS_EACH * (count - 1)] + 1); // what was held behind may end silently
            }
            if (count > 0 || !held) {
                freeFlushed(card);
            }
            return count;
        } finally {
            eventLoop.leave();
        }
    }

    private void tell(long[] taken, int count, long[] words) {
        for (int i = 0; i < count; i++) {
            queue.flushed(words, i * CompletionRecord.WORDS, taken[WORDS_EACH * i], (int) taken[WORDS_EACH * i + 1]);
        }
    }

    /** What was flushed has no record that would free its slot. */
    private void freeFlushed(CardCommands card) {
        if (card.sendStats(handle).isEmpty() && queue.state() != QueueState.READY) {
            queue.freeAll();
        }
    }

    long[] quiesce() {
        long[] taken = new long[WORDS_EACH * depth];
        eventLoop.enter();
        try {
            CardCommands card = eventLoop.card();
            int count = card.quiesce(handle, taken, eventLoop.nanos());
            long[] words = new long[count * CompletionRecord.WORDS];
            tell(taken, count, words);
            freeFlushed(card);
            return Arrays.copyOf(words, words.length);
        } finally {
            eventLoop.leave();
        }
    }
}
