package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.shm.memory.Failures;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.support.SharedResult;
import io.urma4j.spi.support.Timers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Pending requests to peers. Each ends once: by an answer, at its deadline if it has one, or by loss of the peer. */
final class Requests {
    private final Engine engine;
    private final Map<Long, Pending> pending = new HashMap<>();
    private long last;

    Requests(Engine engine) {
        this.engine = engine;
    }

    private record Pending(Connection via, CompletableFuture<Reply> reply, Timers.@Nullable Timer timeout) {
        void cancelTimeout() {
            if (timeout != null) {
                timeout.cancel();
            }
        }
    }

    /**
     * An answer with its descriptors.
     *
     * @param descriptors those that the receiver does not remove are closed
     * @param loss why its descriptor did not arrive; null if that has not happened
     */
    record Reply(
            Peer from,
            Answer answer,
            List<Fd> descriptors,
            @Nullable UrmaException loss) {
        /** The answer, which must be of that kind. */
        <T extends ControlMessage> T as(Class<T> kind) {
            if (kind.isInstance(answer)) {
                return kind.cast(answer);
            }
            throw new UrmaException(
                    UrmaStatus.FAIL,
                    from,
                    "answered with " + answer.getClass().getSimpleName() + " instead of " + kind.getSimpleName());
        }

        boolean hasDescriptor() {
            return !descriptors.isEmpty();
        }

        /** The next descriptor, which the caller then owns. */
        Fd takeDescriptor() {
            if (descriptors.isEmpty()) {
                throw new UrmaException(UrmaStatus.FAIL, from, "sent too few file descriptors with its answer");
            }
            return descriptors.removeFirst();
        }
    }

    /**
     * Sends a request to a connected peer. The future fails with the status of a refusal, or with ETIMEOUT.
     *
     * @param message creates the request from its number
     */
    CompletableFuture<Reply> ask(Peer peer, long deadlineNanos, LongFunction<Request> message, Fd... descriptors) {
        return begin(peer, OptionalLong.of(deadlineNanos), message, descriptors);
    }

    /**
     * Sends a request without a timeout, whose callers have their own ({@link #until}): the peer opens what it asks for once,
     * so a late answer must still count.
     */
    CompletableFuture<Reply> askForAll(Peer peer, LongFunction<Request> message, Fd... descriptors) {
        return begin(peer, OptionalLong.empty(), message, descriptors);
    }

    /** A request that cannot be sent fails like one that is refused. */
    private CompletableFuture<Reply> begin(
            Peer peer, OptionalLong deadlineNanos, LongFunction<Request> message, Fd... descriptors) {
        Connection via = peer.outgoing;
        if (via == null || via.isClosed()) {
            return CompletableFuture.failedFuture(gone(peer, "its connection ended"));
        }
        Request request = message.apply(++last);
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        Timers.Timer timeout = deadlineNanos.isEmpty()
                ? null
                : engine.at(deadlineNanos.getAsLong(), () -> {
                    pending.remove(request.request());
                    reply.completeExceptionally(
                            late(peer, "answer " + request.getClass().getSimpleName()));
                });
        pending.put(request.request(), new Pending(via, reply, timeout));
        try {
            via.send(request, descriptors);
        } catch (LibcException e) {
            Pending unsent = pending.remove(request.request());
            if (unsent != null) {
                unsent.cancelTimeout();
                reply.completeExceptionally(Failures.of(via, "a request cannot be sent", e));
            }
        }
        return reply;
    }

    /** What all wait for, or ETIMEOUT at the deadline of one; then the others wait on. */
    <T> CompletableFuture<T> until(long deadlineNanos, SharedResult<T> forAll, Peer peer, String what) {
        return forAll.await(engine::at, deadlineNanos, () -> late(peer, what));
    }

    private static UrmaException late(Peer peer, String what) {
        return new UrmaException(UrmaStatus.ETIMEOUT, peer, "did not " + what + " in time");
    }

    /** Ends a request; false if no caller waits for this answer any more. */
    boolean answered(Peer from, Connection via, Answer answer, List<Fd> descriptors) {
        Pending asked = take(via, answer);
        if (asked == null) {
            return false;
        }
        if (answer instanceof Refused refused) {
            UrmaStatus status = refused.status() == UrmaStatus.SUCCESS ? UrmaStatus.FAIL : refused.status();
            asked.reply.completeExceptionally(new UrmaException(status, from, refused.reason()));
        } else {
            asked.reply.complete(new Reply(from, answer, descriptors, null));
        }
        return true;
    }

    /** Ends a request by an answer that has lost its descriptor, if a caller waits for it. */
    void answeredInPart(Peer from, Connection via, Answer answer, UrmaException loss) {
        Pending asked = take(via, answer);
        if (asked != null) {
            asked.reply.complete(new Reply(from, answer, List.of(), loss));
        }
    }

    /** Ends a request whose answer cannot be used, if a caller waits for it. */
    void failed(Connection via, Answer answer, UrmaException why) {
        Pending asked = take(via, answer);
        if (asked != null) {
            asked.reply.completeExceptionally(why);
        }
    }

    private @Nullable Pending take(Connection via, Answer answer) {
        Pending asked = pending.get(answer.request());
        if (asked == null || asked.via != via) {
            return null;
        }
        pending.remove(answer.request());
        asked.cancelTimeout();
        return asked;
    }

    /** No answer will arrive on this connection any more. */
    void lost(Peer peer, Connection via, String why) {
        List<Map.Entry<Long, Pending>> unanswered = pending.entrySet().stream()
                .filter(entry -> entry.getValue().via == via)
                .toList();
        for (Map.Entry<Long, Pending> entry : unanswered) {
            pending.remove(entry.getKey());
            entry.getValue().cancelTimeout();
            entry.getValue().reply.completeExceptionally(gone(peer, why));
        }
    }

    /** This context ends. */
    void failAll(UrmaException why) {
        List<Pending> unanswered = List.copyOf(pending.values());
        pending.clear();
        for (Pending one : unanswered) {
            one.cancelTimeout();
            one.reply.completeExceptionally(why);
        }
    }

    static UrmaException gone(Object peer, String why) {
        return new UrmaException(UrmaStatus.ETIMEOUT, peer, "the home is gone: " + why);
    }
}
