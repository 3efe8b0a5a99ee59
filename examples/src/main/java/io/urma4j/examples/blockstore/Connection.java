package io.urma4j.examples.blockstore;

import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.UrmaException;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.RemoteBufCodec;
import io.urma4j.examples.blockstore.Reply.Status;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A session, as its client sees it. A credit is a place to build a request in, so a client without credit has none to send. Once
 * anything fails, the whole connection is lost, and {@link Connections} make another.
 */
final class Connection implements AutoCloseable {
    private static final int MOST_REQUEST_BYTES = 1024;
    private static final int TURN_MILLIS = 50;

    private final MessageChannel.Peer server;
    private final Map<Long, Answer> waiting = new ConcurrentHashMap<>();
    private final BlockingQueue<Credit> credits = new LinkedBlockingQueue<>();
    private volatile long session;
    private volatile @Nullable Peer identity;
    private volatile boolean lost;

    Connection(MessageChannel.Peer server) {
        this.server = server;
    }

    /** The reply to a request, when it is there. */
    private static final class Answer extends CompletableFuture<Reply> {
        private final long sinceNanos = System.nanoTime();
    }

    /** The place of one unfinished request. */
    final class Credit implements AutoCloseable {
        private final MemorySegment message = MemorySegment.ofArray(new byte[MOST_REQUEST_BYTES]);
        private final RemoteBufCodec codec = new RemoteBufCodec();

        /** Builds a request. */
        private MemorySegment build(Request request, RemoteBuf memory) {
            request.write(message);
            int memoryBytes = codec.encode(memory, message.asSlice(Head.BYTES));
            return message.asSlice(0, Head.BYTES + memoryBytes);
        }

        @Override
        public void close() {
            credits.add(this);
        }
    }

    // ---- the session

    /** Begins it. */
    void hello(long id, Duration timeout) {
        CompletableFuture<Reply> answer = expect(id);
        MemorySegment hello = MemorySegment.ofArray(new byte[Head.BYTES]);
        Request.hello(id).write(hello);
        try {
            server.sendWithReply(hello, OptionalLong.empty());
            Reply reply = await(answer, timeout);
            if (reply.status() != Status.WELCOME) {
                throw new ConnectionLostException("the server refused a session: " + reply.text(), null);
            }
            session = reply.session();
            identity = Peer.parse(reply.text());
            for (int i = 0; i < reply.credits(); i++) {
                credits.add(new Credit());
            }
        } catch (UrmaException e) {
            throw new ConnectionLostException("the server does not answer", e);
        } finally {
            waiting.remove(id);
        }
    }

    long session() {
        return session;
    }

    /** The server's contexts, to which the client exports its buffers. */
    Peer identity() {
        Peer known = identity;
        if (known == null) {
            throw new IllegalStateException("no session has begun");
        }
        return known;
    }

    boolean isLost() {
        return lost || !server.isConnected();
    }

    // ---- requests

    /** Takes a credit; its close returns it. */
    Credit credit(Duration timeout) {
        long deadlineNanos = System.nanoTime() + timeout.toNanos();
        try {
            while (!lost && System.nanoTime() - deadlineNanos < 0) {
                Credit credit = credits.poll(TURN_MILLIS, TimeUnit.MILLISECONDS);
                if (credit != null) {
                    return credit;
                }
            }
            throw new ConnectionLostException("there was no credit in time", null);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** A credit, if there is one now. */
    Optional<Credit> tryCredit() {
        return Optional.ofNullable(credits.poll());
    }

    /** Sends a request. The reply completes exceptionally once the connection is lost. */
    CompletableFuture<Reply> begin(Credit credit, Request request, RemoteBuf memory) {
        Answer answer = expect(request.id());
        try {
            server.post(credit.build(request, memory), OptionalLong.empty());
        } catch (UrmaException e) {
            answer.completeExceptionally(new ConnectionLostException("the request was not sent", e));
        }
        var _ = answer.whenComplete((_, _) -> waiting.remove(request.id()));
        return answer;
    }

    /** Sends a request and waits for its reply. */
    Reply exchange(Credit credit, Request request, RemoteBuf memory, Duration timeout) {
        CompletableFuture<Reply> answer = begin(credit, request, memory);
        try {
            return await(answer, timeout);
        } finally {
            waiting.remove(request.id());
        }
    }

    private Answer expect(long id) {
        Answer answer = new Answer();
        waiting.put(id, answer);
        if (lost) {
            answer.completeExceptionally(new ConnectionLostException("closed", null));
        }
        return answer;
    }

    private static Reply await(CompletableFuture<Reply> answer, Duration timeout) {
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new ConnectionLostException("no reply came", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static ConnectionLostException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new ConnectionLostException("the thread was interrupted", cause);
    }

    /** Hands a reply to the thread that waits for it; one of an earlier connection has none, nor has one of another process. */
    void received(Message message, Reply reply) {
        CompletableFuture<Reply> answer = server.sent(message) ? waiting.get(reply.id()) : null;
        if (answer != null) {
            answer.complete(reply);
        }
    }

    // ---- the end

    /** Whether a request has waited longer than that for its reply. */
    boolean isSilent(Duration timeout) {
        long now = System.nanoTime();
        return waiting.values().stream().anyMatch(answer -> now - answer.sinceNanos > timeout.toNanos());
    }

    /** Ends the waits of all requests. */
    void lose() {
        lost = true;
        waiting.values().forEach(answer -> answer.completeExceptionally(new ConnectionLostException("closed", null)));
    }

    /** Takes leave of the server, if it is there. */
    void bye() {
        MemorySegment bye = MemorySegment.ofArray(new byte[Head.BYTES]);
        Request.bye(session).write(bye);
        try {
            server.send(bye, OptionalLong.empty());
        } catch (UrmaException e) {
            lost = true; // the server finds out by itself
        }
    }

    @Override
    public void close() {
        lose();
        server.close();
    }
}
