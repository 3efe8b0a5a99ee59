package io.urma4j.examples.blockstore;

import io.urma4j.Access;
import io.urma4j.ContextOptions;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.PoolStats;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.examples.blockstore.store.BlockStore;
import io.urma4j.examples.blockstore.store.Checksum;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client of the block store. Each attempt of a request leases a buffer, exports it to the server, and closes it at its end, which
 * revokes the export. So a late operation of the server reaches no later attempt.
 *
 * <p>When the server dies, or does not answer, the client connects anew and repeats the requests without reply. That is harmless:
 * a WRITE of the same revision is done once. Safe for any number of threads.
 */
public final class BlockClient implements AutoCloseable {
    private static final long POOL_BYTES = 64L * BlockStore.MOST_BYTES;
    private static final Duration REPLY_TIMEOUT = Connections.REPLY_TIMEOUT;

    private final UrmaContext context;
    private final Duration patience;
    private final RegisteredBufferPool pool;
    private final Connections connections;
    private final AtomicLong retries = new AtomicLong();
    private final ExecutorService waiters = Executors.newVirtualThreadPerTaskExecutor();

    private BlockClient(UrmaContext context, String serverName, Duration patience, boolean polled) {
        this.context = context;
        this.patience = patience;
        this.pool = RegisteredBufferPool.open(
                PoolConfig.builder(POOL_BYTES).exports(Access.READ_WRITE).build(), context);
        this.connections = new Connections(context, serverName, polled);
    }

    /**
     * Opens a client. It connects with its first request.
     *
     * @param serverName that the server has published
     * @param patience after which a request fails whose server does not come back
     */
    public static BlockClient open(Urma urma, String device, String serverName, Duration patience) {
        return open(urma, device, serverName, patience, false);
    }

    /**
     * {@link #open}, without a thread that receives replies: {@link #poll} does. So no thread is woken for a reply, which costs more than
     * the READ itself.
     */
    public static BlockClient openPolled(Urma urma, String device, String serverName, Duration patience) {
        return open(urma, device, serverName, patience, true);
    }

    private static BlockClient open(Urma urma, String device, String serverName, Duration patience, boolean polled) {
        ContextOptions options = ContextOptions.DEFAULT.withImportTimeout(REPLY_TIMEOUT);
        return new BlockClient(urma.device(device).openContext(0, options), serverName, patience, polled);
    }

    // ---- blocks

    /**
     * Writes a block; returns once it is on the server's disk.
     *
     * @param revision higher than of earlier writes of the block; a caller that repeats a write uses the same
     * @param content fills the buffer; called for each attempt
     * @throws BlockException if the server refuses it
     */
    public void write(long block, long revision, int lengthBytes, Consumer<MemorySegment> content) {
        Reply reply = untilAnswered(connection -> {
                    try (Connection.Credit credit = connection.credit(REPLY_TIMEOUT);
                            RdmaBuf buf = pool.acquire(lengthBytes, REPLY_TIMEOUT)) {
                        BufView view = buf.view();
                        content.accept(view.segment());
                        Request request = new Request(
                                Request.Kind.WRITE,
                                connection.session(),
                                connections.nextId(),
                                block,
                                revision,
                                lengthBytes,
                                Checksum.of(view.asByteBuffer()));
                        RemoteBuf exported = buf.exportTo(connection.identity(), view, Access.READ);
                        return new Answer(connection.exchange(credit, request, exported, REPLY_TIMEOUT), null);
                    }
                })
                .reply();
        if (reply.status() != Reply.Status.DONE) {
            throw refusal("WRITE", block, reply);
        }
    }

    /**
     * Reads a block.
     *
     * @param mostBytes that it may have
     * @return empty if no write of it was ever acknowledged
     * @throws BlockException if the server refuses it, or if its bytes fail their checksum
     */
    public Optional<ReadBlock> read(long block, int mostBytes) {
        Answer answer = untilAnswered(connection -> {
            RdmaBuf buf = pool.acquire(mostBytes, REPLY_TIMEOUT);
            boolean isDone = false;
            try (Connection.Credit credit = connection.credit(REPLY_TIMEOUT)) {
                Request request = new Request(
                        Request.Kind.READ, connection.session(), connections.nextId(), block, 0, mostBytes, 0);
                RemoteBuf exported = buf.exportTo(connection.identity(), buf.view(), Access.READ_WRITE);
                Reply reply = connection.exchange(credit, request, exported, REPLY_TIMEOUT);
                isDone = reply.status() == Reply.Status.DONE;
                return new Answer(reply, isDone ? buf : null);
            } finally {
                if (!isDone) {
                    buf.close();
                }
            }
        });
        return result(block, answer);
    }

    private static Optional<ReadBlock> result(long block, Answer answer) {
        RdmaBuf buf = answer.buf();
        if (buf != null) {
            return Optional.of(verified(block, answer.reply(), buf));
        }
        if (answer.reply().status() == Reply.Status.NOT_FOUND) {
            return Optional.empty();
        }
        throw refusal("READ", block, answer.reply());
    }

    /**
     * Begins to read a block. Usually that needs no other thread; a virtual one takes over if the client must wait for a connection,
     * for a credit or for a buffer, or repeat the request.
     *
     * @return what {@link #read} returns or throws, on the thread that sees the end: under {@link #openPolled}, the one that polls
     */
    public CompletableFuture<Optional<ReadBlock>> readAsync(long block, int mostBytes) {
        Connection connection = connections.current().orElse(null);
        Connection.Credit credit =
                connection == null ? null : connection.tryCredit().orElse(null);
        if (connection == null || credit == null) {
            return readLater(block, mostBytes);
        }
        RdmaBuf buf = pool.tryAcquire(mostBytes).orElse(null);
        if (buf == null) {
            credit.close();
            return readLater(block, mostBytes);
        }
        Request request =
                new Request(Request.Kind.READ, connection.session(), connections.nextId(), block, 0, mostBytes, 0);
        RemoteBuf exported;
        try {
            exported = buf.exportTo(connection.identity(), buf.view(), Access.READ_WRITE);
        } catch (UrmaException e) {
            credit.close();
            buf.close();
            throw e;
        }
        return connection
                .begin(credit, request, exported)
                .exceptionally(failure -> {
                    connection.lose();
                    return Reply.of(Reply.Status.RETRY, request, String.valueOf(failure.getMessage()));
                })
                .thenCompose(reply -> {
                    credit.close();
                    return answered(block, mostBytes, reply, buf);
                });
    }

    private CompletableFuture<Optional<ReadBlock>> answered(long block, int mostBytes, Reply reply, RdmaBuf buf) {
        boolean isDone = reply.status() == Reply.Status.DONE;
        if (!isDone) {
            buf.close();
        }
        return isFinal(reply.status())
                ? CompletableFuture.completedFuture(result(block, new Answer(reply, isDone ? buf : null)))
                : readLater(block, mostBytes);
    }

    private CompletableFuture<Optional<ReadBlock>> readLater(long block, int mostBytes) {
        return CompletableFuture.supplyAsync(() -> read(block, mostBytes), waiters);
    }

    /** Takes a reply, if there is one. For the client of {@link #openPolled}, by one thread at a time. */
    public void poll() {
        connections.poll();
    }

    /** A reply, and for a READ that was done the buffer with the bytes. */
    private record Answer(Reply reply, @Nullable RdmaBuf buf) {}

    private static ReadBlock verified(long block, Reply reply, RdmaBuf buf) {
        BufView bytes = buf.view().first(reply.lengthBytes());
        if (!bytes.isValid() || Checksum.of(bytes.asByteBuffer()) != reply.payloadCrc()) {
            buf.close();
            throw new BlockException(true, "block " + block + " fails the checksum of the reply");
        }
        return new ReadBlock(buf, reply.revision(), reply.lengthBytes());
    }

    private static BlockException refusal(String request, long block, Reply reply) {
        return new BlockException(
                reply.status() == Reply.Status.CORRUPT,
                request + " of block " + block + " was refused as " + reply.status() + ": " + reply.text());
    }

    // ---- attempts

    private interface Attempt {
        Answer by(Connection connection);
    }

    /** Repeats a request until it has a reply other than RETRY, on one connection or the next. */
    private Answer untilAnswered(Attempt attempt) {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (true) {
            String failure;
            try {
                Answer answer = attemptOn(connections.get(deadlineNanos), attempt);
                if (isFinal(answer.reply().status())) {
                    return answer;
                }
                failure = answer.reply().text();
                Connections.pause();
            } catch (ConnectionLostException e) {
                failure = e.getMessage();
            }
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new UrmaException(
                        UrmaStatus.ETIMEOUT, this, "was not served within " + patience + ": " + failure);
            }
            retries.incrementAndGet();
        }
    }

    private static boolean isFinal(Reply.Status status) {
        return status != Reply.Status.RETRY;
    }

    private Answer attemptOn(Connection connection, Attempt attempt) {
        try {
            return attempt.by(connection);
        } catch (ConnectionLostException e) {
            connection.lose();
            throw e;
        }
    }

    // ---- counts and end

    /** Attempts that had to be repeated. */
    public long retries() {
        return retries.get();
    }

    /** Connections after the first one. */
    public long reconnects() {
        return connections.reconnects();
    }

    /** Of its buffers. */
    public PoolStats poolStats() {
        return pool.stats();
    }

    /** Ends the session and closes the client. */
    @Override
    public void close() {
        connections.close();
        waiters.shutdown();
        context.close();
    }

    @Override
    public String toString() {
        return "client with " + connections;
    }
}
