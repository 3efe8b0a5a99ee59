package io.urma4j.examples.blockstore;

import io.urma4j.Access;
import io.urma4j.ContextOptions;
import io.urma4j.Message;
import io.urma4j.MessageChannel;
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
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
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
    private static final System.Logger LOG = System.getLogger(BlockClient.class.getName());
    private static final int MOST_MESSAGE_BYTES = 1024;
    private static final int BUFFERS = 32; // more than any server grants credits
    private static final long POOL_BYTES = 64L * BlockStore.MOST_BYTES;
    private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TURN = Duration.ofMillis(50);

    private final UrmaContext context;
    private final String address;
    private final Duration patience;
    private final RegisteredBufferPool pool;
    private final MessageChannel channel;
    private final Thread receiver;
    private final AtomicLong nextId = new AtomicLong();
    private final AtomicLong retries = new AtomicLong();
    private final AtomicLong connections = new AtomicLong();
    private final ReentrantLock connecting = new ReentrantLock();
    private volatile @Nullable Connection current;
    private volatile boolean closed;

    private BlockClient(UrmaContext context, String serverName, Duration patience) {
        this.context = context;
        this.address = "name:" + serverName;
        this.patience = patience;
        this.pool = RegisteredBufferPool.open(
                PoolConfig.builder(POOL_BYTES).exports(Access.READ_WRITE).build(), context);
        this.channel = context.openMessageChannel(MessageChannel.Options.builder()
                .maxMessageBytes(MOST_MESSAGE_BYTES)
                .receiveBuffers(BUFFERS)
                .sendBuffers(BUFFERS)
                .sendTimeout(REPLY_TIMEOUT)
                .build());
        this.receiver = Thread.ofPlatform().name("replies").daemon().start(this::receiveReplies);
    }

    /**
     * Opens a client. It connects with its first request.
     *
     * @param serverName that the server has published
     * @param patience after which a request fails whose server does not come back
     */
    public static BlockClient open(Urma urma, String device, String serverName, Duration patience) {
        ContextOptions options = ContextOptions.DEFAULT.withImportTimeout(REPLY_TIMEOUT);
        return new BlockClient(urma.device(device).openContext(0, options), serverName, patience);
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
                                nextId.getAndIncrement(),
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
                        Request.Kind.READ, connection.session(), nextId.getAndIncrement(), block, 0, mostBytes, 0);
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
        RdmaBuf buf = answer.buf();
        if (buf != null) {
            return Optional.of(verified(block, answer.reply(), buf));
        }
        if (answer.reply().status() == Reply.Status.NOT_FOUND) {
            return Optional.empty();
        }
        throw refusal("READ", block, answer.reply());
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
                Answer answer = attemptOn(connection(deadlineNanos), attempt);
                if (isFinal(answer.reply().status())) {
                    return answer;
                }
                failure = answer.reply().text();
                pause();
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
        return status != Reply.Status.RETRY && status != Reply.Status.NO_CREDIT;
    }

    private Answer attemptOn(Connection connection, Attempt attempt) {
        try {
            return attempt.by(connection);
        } catch (ConnectionLostException e) {
            connection.lose();
            throw e;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(TURN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectionLostException("the thread was interrupted", e);
        }
    }

    // ---- the connection

    /** The connection, or a new one as soon as the server is there. */
    private Connection connection(long deadlineNanos) {
        Connection known = current;
        return known != null && !known.isLost() ? known : connect(deadlineNanos);
    }

    private Connection connect(long deadlineNanos) {
        connecting.lock();
        try {
            while (true) {
                Connection known = current;
                if (known != null && !known.isLost()) {
                    return known; // another thread was first
                }
                try {
                    return begin(known);
                } catch (UrmaException | ConnectionLostException e) {
                    if (closed || System.nanoTime() - deadlineNanos > 0) {
                        throw new ConnectionLostException("the server is not there", e);
                    }
                    pause();
                }
            }
        } finally {
            connecting.unlock();
        }
    }

    /** Other threads may take the connection meanwhile. They wait for its credits, which the server grants. */
    private Connection begin(@Nullable Connection old) {
        if (old != null) {
            old.close();
            current = null;
        }
        Connection fresh = new Connection(channel.connect(address));
        current = fresh;
        try {
            fresh.hello(nextId.getAndIncrement(), REPLY_TIMEOUT);
        } catch (ConnectionLostException e) {
            fresh.lose();
            throw e;
        }
        connections.incrementAndGet();
        return fresh;
    }

    private void receiveReplies() {
        while (!closed) {
            try {
                channel.receive(TURN).ifPresent(this::received);
            } catch (UrmaException e) {
                return; // the channel is closed
            }
            Connection watched = current;
            if (watched != null && watched.isLost()) {
                watched.lose();
            }
        }
    }

    private void received(Message message) {
        Connection connection = current;
        try {
            Reply reply = Reply.read(message.payload());
            if (connection != null) {
                connection.received(reply);
            }
        } catch (BadMessageException e) {
            LOG.log(Level.WARNING, () -> "dropped " + e.getMessage() + " from " + message.sender());
        }
    }

    // ---- counts and end

    /** Attempts that had to be repeated. */
    public long retries() {
        return retries.get();
    }

    /** Connections after the first one. */
    public long reconnects() {
        return Math.max(0, connections.get() - 1);
    }

    /** Of its buffers. */
    public PoolStats poolStats() {
        return pool.stats();
    }

    /** Ends the session and closes the client. */
    @Override
    public void close() {
        closed = true;
        connecting.lock();
        try {
            Connection last = current;
            if (last != null && !last.isLost()) {
                last.bye();
            }
            if (last != null) {
                last.close();
            }
        } finally {
            connecting.unlock();
        }
        context.close();
        receiver.interrupt();
    }

    @Override
    public String toString() {
        return "client of " + address;
    }
}
