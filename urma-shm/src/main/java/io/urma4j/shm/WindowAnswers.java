package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.QueueState;
import io.urma4j.shm.ring.Answer;
import io.urma4j.spi.support.SendEntry.Stage;

/** What becomes of messages of a {@link SendWindow} when their receivers answer. Guarded by the queue's lock. */
final class WindowAnswers {
    private static final long MICRO = 1_000;

    private final SendWindow window;
    private final SendEvents events;
    private final int rnrRetry;
    private long rnr;

    /** The answers to messages of {@code window}, each of which is retransmitted {@code rnrRetry} times. */
    WindowAnswers(SendWindow window, SendEvents events, int rnrRetry) {
        this.window = window;
        this.events = events;
        this.rnrRetry = rnrRetry;
    }

    /** How many messages found their receiver not ready. */
    long rnr() {
        return rnr;
    }

    /** A slot of the message in {@code entry} was answered. */
    void answered(long position, Wqe entry, int answer, int argument) {
        if (entry.slotsInFlight == 0) {
            return; // an answer to an earlier life of the entry
        }
        entry.slotsInFlight--;
        boolean begun = entry.answer == Answer.TAKEN;
        if (answer != Answer.TAKEN && (entry.answer == 0 || begun)) {
            // its beginning was taken, so it is behind nothing: the receiver has let go of it, and will not take it
            entry.answer = begun && answer == Answer.HELD ? Answer.FAILED : answer;
            entry.answerArgument = argument;
        } else if (entry.answer == 0) {
            entry.answer = answer;
        }
        if (entry.slotsInFlight == 0 && (entry.stage == Stage.STARTED || entry.answer != Answer.TAKEN)) {
            settle(position, entry);
        }
    }

    /** The copy of a message's next bytes has ended; answers that came meanwhile may have ended the message. */
    void copied(long position, Wqe entry) {
        if (entry.slotsInFlight == 0 && entry.answer != 0 && entry.answer != Answer.TAKEN) {
            settle(position, entry);
        }
    }

    /** All slots of a message are answered. */
    private void settle(long position, Wqe entry) {
        Lane lane = entry.flow;
        if (!entry.isOpen() || lane == null) {
            return;
        }
        switch (entry.answer) {
            case Answer.TAKEN -> {
                if (!lane.awaitsRestart()) {
                    lane.taken();
                }
                window.finish(entry, CompletionStatus.SUCCESS);
            }
            case Answer.NOT_READY -> notReady(position, entry, lane, window.state() == QueueState.READY);
            case Answer.LATER -> later(position, entry, lane);
            case Answer.HELD -> held(position, entry, lane);
            case Answer.REFUSED -> window.finish(entry, CompletionStatus.REM_ACCESS_ABORT_ERR);
            case Answer.UNSUPPORTED -> window.finish(entry, CompletionStatus.REM_UNSUPPORTED_REQ_ERR);
            default -> window.finish(entry, CompletionStatus.REM_OPERATION_ERR);
        }
    }

    private void held(long position, Wqe entry, Lane lane) {
        if (lane.probing && !entry.restarts) {
            window.repeat(position, entry);
        } else { // behind nothing: a peer that says so for ever would hold us up for ever
            window.finish(entry, CompletionStatus.REM_OPERATION_ERR);
        }
    }

    /** Only a revocation takes its time, whatever {@code rnrRetry}; to other messages a peer could say so for ever. */
    private void later(long position, Wqe entry, Lane lane) {
        if (entry.opcode == Opcode.SEND_INVALIDATE) {
            notReady(position, entry, lane, false);
        } else {
            window.finish(entry, CompletionStatus.REM_OPERATION_ERR);
        }
    }

    private void notReady(long position, Wqe entry, Lane lane, boolean counts) {
        rnr++;
        if (counts && lane.isExhausted(rnrRetry)) {
            window.finish(entry, CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
            return;
        }
        if (!lane.probing && entry.to != null) {
            events.receiverNotReady(entry.to.target);
        }
        lane.notReady();
        lane.retryAtNanos = System.nanoTime() + Math.max(1, entry.answerArgument) * MICRO;
        window.repeat(position, entry);
    }
}
