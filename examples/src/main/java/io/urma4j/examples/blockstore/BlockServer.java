package io.urma4j.examples.blockstore;

import io.urma4j.Access;
import io.urma4j.ContextOptions;
import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.SharedJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.PoolStats;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.TransferOptions;
import io.urma4j.buffer.TransferProgress;
import io.urma4j.buffer.Transfers;
import io.urma4j.examples.blockstore.Reply.Status;
import io.urma4j.examples.blockstore.store.BlockStore;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The server: {@link #run} receives the messages, and a virtual thread serves each request. No message of a client blocks the
 * receiving thread, whatever it contains.
 *
 * <p>A server that polls serves READs on the receiving thread, as long as they wait for nothing but the file. So no thread is woken
 * for them, which costs more than the READ itself. It keeps a CPU busy.
 */
final class BlockServer implements AutoCloseable {
    private static final int MOST_SESSIONS = 64;
    private static final int CREDITS = 8; // of each client
    private static final int MOST_HELLOS = 16; // at once; each may wait for a client that does not answer
    private static final int HELLO_BUFFERS = 64; // for messages without credit
    private static final int MOST_MESSAGE_BYTES = 1024;
    private static final Duration PEER_TIMEOUT = Duration.ofSeconds(2);

    /** A silent client holds its buffers that long. No window is used twice, since each request has an export of its own. */
    private static final TransferOptions TRANSFER_OPTIONS = TransferOptions.builder()
            .timeout(PEER_TIMEOUT)
            .silence(PEER_TIMEOUT)
            .maxWindows(64)
            .build();

    private static final Duration TURN = Duration.ofMillis(200);

    private final UrmaContext context;
    private final RegisteredBufferPool pool;
    private final MessageChannel channel;
    private final Transfers transfers;
    private final BlockService service;
    private final String identity;
    private final boolean polls;
    private final Map<Long, Session> sessions = new ConcurrentHashMap<>();
    private final AtomicLong nextSession;
    private final AtomicLong refused = new AtomicLong();
    private final Credits credits = new Credits(CREDITS);
    private final Semaphore hellos = new Semaphore(MOST_HELLOS);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile boolean ending;

    private BlockServer(UrmaContext context, BlockStore store, int mostTransfers, long firstSession, boolean polls) {
        this.context = context;
        long poolBytes = (long) mostTransfers * 2 * BlockStore.MOST_BYTES;
        this.pool = RegisteredBufferPool.open(
                PoolConfig.builder(poolBytes).exports(Access.LOCAL_ONLY).build(), context);
        this.channel = context.openMessageChannel(MessageChannel.Options.builder()
                .maxMessageBytes(MOST_MESSAGE_BYTES)
                .receiveBuffers(MOST_SESSIONS * CREDITS + HELLO_BUFFERS)
                .sendBuffers(2 * CREDITS)
                .sendTimeout(PEER_TIMEOUT)
                .build());
        this.service = new BlockService(store, pool, mostTransfers);
        this.transfers = Transfers.open(
                TRANSFER_OPTIONS.toBuilder()
                        .progress(polls ? TransferProgress.BY_CALLER : TransferProgress.BY_THREAD)
                        .build(),
                context);
        this.identity = transfers.peer().toText();
        this.nextSession = new AtomicLong(firstSession);
        this.polls = polls;
    }

    /**
     * Opens a server, which clients find by its name once {@link #run} is called.
     *
     * @param mostTransfers requests that are served at once
     * @param firstSession number of the first session; a random one, so that sessions of an earlier life are unknown
     * @param polls whether {@link #run} polls, and does not sleep
     */
    static BlockServer open(
            Urma urma, String device, BlockStore store, int mostTransfers, long firstSession, boolean polls) {
        ContextOptions options = ContextOptions.DEFAULT.withImportTimeout(PEER_TIMEOUT);
        UrmaContext context = urma.device(device).openContext(0, options);
        return new BlockServer(context, store, mostTransfers, firstSession, polls);
    }

    /** Serves until {@link #end} is called. */
    void run(String name) {
        channel.publish(name);
        long lastLookNanos = System.nanoTime();
        while (!ending) {
            next().ifPresent(this::receive);
            if (System.nanoTime() - lastLookNanos > TURN.toNanos()) {
                endSessions();
                lastLookNanos = System.nanoTime();
            }
        }
    }

    private Optional<Message> next() {
        if (!polls) {
            return channel.receive(TURN);
        }
        Optional<Message> message = channel.poll();
        if (transfers.poll() == 0 && message.isEmpty()) {
            Thread.onSpinWait();
        }
        return message;
    }

    /** Lets {@link #run} return. */
    void end() {
        ending = true;
    }

    PoolStats poolStats() {
        return pool.stats();
    }

    int sessions() {
        return sessions.size();
    }

    /** Messages that were none of this protocol, or without a session. */
    long refused() {
        return refused.get();
    }

    /** Serves a message, or lets another thread do it. */
    private void receive(Message message) {
        try {
            Request request = Request.read(message.payload());
            if (request.kind() == Request.Kind.HELLO) {
                greet(message, request);
            } else {
                serve(message, request);
            }
        } catch (BadMessageException e) {
            refused.incrementAndGet();
        }
    }

    // ---- sessions

    private void greet(Message message, Request request) {
        SharedJetty replyTo =
                message.replyTo().orElseThrow(() -> new BadMessageException("a HELLO without reply address"));
        if (!hellos.tryAcquire()) {
            throw new BadMessageException("too many HELLOs at once");
        }
        threads.execute(() -> {
            try {
                welcome(message, request, replyTo);
            } catch (UrmaException e) {
                refused.incrementAndGet(); // it is gone, or does not answer
            } finally {
                hellos.release();
            }
        });
    }

    private void welcome(Message message, Request request, SharedJetty replyTo) {
        sessions.values().stream().filter(old -> old.isOf(message.sender())).forEach(this::close);
        if (sessions.size() >= MOST_SESSIONS) {
            Reply busy = Reply.of(Status.RETRY, request, "the server has its most sessions, " + MOST_SESSIONS);
            channel.reply(message, busy.toMessage(), OptionalLong.empty());
            return;
        }
        MessageChannel.Peer client = channel.connect(replyTo);
        ClientMemory memory = new ClientMemory(transfers, message.sender());
        Session session =
                new Session(nextSession.getAndIncrement(), message.sender(), client, memory, credits, threads);
        sessions.put(session.number(), session);
        session.send(new Reply(Status.WELCOME, 0, session.number(), request.id(), 0, 0, 0, identity));
    }

    private void endSessions() {
        sessions.values().stream().filter(Session::isOver).forEach(session -> threads.execute(() -> close(session)));
    }

    private void close(Session session) {
        if (sessions.remove(session.number(), session)) {
            session.close();
        }
    }

    // ---- requests

    private void serve(Message message, Request request) {
        Session session = Optional.ofNullable(sessions.get(request.session()))
                .filter(known -> known.sent(message))
                .orElseThrow(() -> new BadMessageException("a request without a session"));
        if (request.kind() == Request.Kind.BYE) {
            threads.execute(() -> close(session));
            return;
        }
        if (!session.begin()) {
            session.fail();
            Reply last = Reply.of(Status.NO_CREDIT, request, "more than " + CREDITS + " requests at once");
            threads.execute(() -> session.send(last));
            return;
        }
        RemoteBuf memory;
        try {
            request.check();
            memory = session.memoryOf(message);
        } catch (BadMessageException e) {
            threads.execute(() -> session.end(Reply.of(Status.BAD_REQUEST, request, e.reason())));
            return;
        }
        if (!polls || !isReadAtOnce(session, request, memory)) {
            threads.execute(() -> serve(session, request, memory));
        }
    }

    private void serve(Session session, Request request, RemoteBuf memory) {
        try {
            session.end(service.serve(request, memory, session.memory()));
        } catch (TransferFailedException e) {
            failed(session, request, e);
        }
    }

    /** Serves a READ on this thread; false if it would have to wait. */
    private boolean isReadAtOnce(Session session, Request request, RemoteBuf memory) {
        if (request.kind() != Request.Kind.READ) {
            return false;
        }
        try {
            Optional<CompletableFuture<Reply>> begun = service.tryRead(request, memory, session.memory());
            begun.ifPresent(reply -> {
                var _ = reply.whenComplete((known, failure) -> {
                    if (failure == null) {
                        session.endAtOnce(known);
                    } else {
                        failed(session, request, Objects.requireNonNullElse(failure.getCause(), failure));
                    }
                });
            });
            return begun.isPresent();
        } catch (TransferFailedException e) {
            failed(session, request, e);
            return true;
        }
    }

    private static void failed(Session session, Request request, Throwable failure) {
        session.endAtOnce(Reply.of(Status.RETRY, request, String.valueOf(failure.getMessage())));
        session.fail();
    }

    private boolean isIdle() {
        try {
            return threads.awaitTermination(1, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true; // the context ends them
        }
    }

    /** Closes the server after {@link #run} has returned. The store stays open. */
    @Override
    public void close() {
        end();
        sessions.values().forEach(this::close);
        threads.shutdown();
        while (!isIdle()) {
            transfers.poll(); // requests wait for theirs
        }
        context.close();
    }
}
