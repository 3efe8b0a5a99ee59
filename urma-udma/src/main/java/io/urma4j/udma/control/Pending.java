package io.urma4j.udma.control;

import io.urma4j.spi.support.Timers;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request without an answer. */
final class Pending {
    final long number;
    final String what;
    final ByteBuffer body;
    final long deadlineNanos;
    final CompletableFuture<PeerMessage> answer;
    int tries;
    long pauseNanos;
    Timers.@Nullable Timer timer;

    Pending(long number, String what, ByteBuffer body, long deadlineNanos, CompletableFuture<PeerMessage> answer) {
        this.number = number;
        this.what = what;
        this.body = body;
        this.deadlineNanos = deadlineNanos;
        this.answer = answer;
        this.pauseNanos = ControlPlane.FIRST_PAUSE_NANOS;
    }

    void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
