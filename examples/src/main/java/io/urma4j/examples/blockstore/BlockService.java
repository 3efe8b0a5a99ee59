package io.urma4j.examples.blockstore;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.examples.blockstore.Reply.Status;
import io.urma4j.examples.blockstore.store.BlockStore;
import io.urma4j.examples.blockstore.store.Checksum;
import io.urma4j.examples.blockstore.store.Stored;
import io.urma4j.examples.blockstore.store.WriteResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Serves one request: a block between the files, a leased buffer, and the client's memory. At most a given number of requests
 * are served at once; the others wait in their order. Safe for any number of threads.
 */
final class BlockService {
    private static final Duration BUFFER_TIMEOUT = Duration.ofSeconds(2);

    private final BlockStore store;
    private final RegisteredBufferPool pool;
    private final Semaphore admission;

    BlockService(BlockStore store, RegisteredBufferPool pool, int mostTransfers) {
        this.store = store;
        this.pool = pool;
        this.admission = new Semaphore(mostTransfers, true);
    }

    /**
     * Serves a READ or a WRITE, and waits for its end.
     *
     * @param memory what the request exports
     * @throws TransferFailedException if the client's memory could not be reached; its session is over
     */
    Reply serve(Request request, RemoteBuf memory, ClientMemory client) {
        boolean isRead = request.kind() == Request.Kind.READ;
        try {
            client.check(memory, request.lengthBytes(), isRead ? Access.READ_WRITE : Access.READ);
            admission.acquire();
            try {
                return isRead ? read(request, memory, client) : write(request, memory, client);
            } finally {
                admission.release();
            }
        } catch (BadMessageException | UrmaException | IOException e) {
            return refusal(request, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Reply.of(Status.RETRY, request, "the server ends");
        }
    }

    private static Reply refusal(Request request, Exception cause) {
        return switch (cause) {
            case BadMessageException bad -> Reply.of(Status.BAD_REQUEST, request, bad.reason());
            case UrmaException late -> Reply.of(Status.RETRY, request, late.reason()); // no buffer was free in time
            default -> Reply.of(Status.BROKEN, request, String.valueOf(cause.getMessage()));
        };
    }

    private Reply read(Request request, RemoteBuf memory, ClientMemory client) throws IOException {
        while (true) {
            Optional<Stored> found = store.find(request.block());
            if (found.isEmpty()) {
                return Reply.of(Status.NOT_FOUND, request, "");
            }
            Stored stored = found.get();
            checkFits(stored, request);
            try (RdmaBuf buf = pool.acquire(stored.lengthBytes(), BUFFER_TIMEOUT)) {
                BufView view = buf.view();
                ByteBuffer bytes = view.asByteBuffer();
                if (!store.read(request.block(), stored, bytes)) {
                    continue; // a write has replaced it: read that one
                }
                if (Checksum.of(bytes) != stored.payloadCrc()) {
                    return corrupt(request);
                }
                client.write(memory.first(stored.lengthBytes()), view);
            }
            return done(request, stored);
        }
    }

    private static void checkFits(Stored stored, Request request) {
        if (stored.lengthBytes() > request.lengthBytes()) {
            throw new BadMessageException(
                    "the block has " + stored.lengthBytes() + " bytes, the memory " + request.lengthBytes());
        }
    }

    /**
     * Serves a READ without waiting for anything but the file.
     *
     * @return the reply, which may be there when the transfer has ended, or the {@link TransferFailedException}; empty if it would
     *     have to wait for its turn, for a buffer, or for a write: then nothing was done
     */
    Optional<CompletableFuture<Reply>> tryRead(Request request, RemoteBuf memory, ClientMemory client) {
        if (!admission.tryAcquire()) {
            return Optional.empty();
        }
        Optional<CompletableFuture<Reply>> reply = Optional.empty();
        try {
            client.check(memory, request.lengthBytes(), Access.READ_WRITE);
            reply = begin(request, memory, client);
        } catch (BadMessageException | UrmaException | IOException e) {
            reply = known(refusal(request, e));
        } finally {
            if (reply.isEmpty()) {
                admission.release();
            }
        }
        return reply.map(begun -> begun.whenComplete((_, _) -> admission.release()));
    }

    private Optional<CompletableFuture<Reply>> begin(Request request, RemoteBuf memory, ClientMemory client)
            throws IOException {
        Optional<Stored> found = store.find(request.block());
        if (found.isEmpty()) {
            return known(Reply.of(Status.NOT_FOUND, request, ""));
        }
        Stored stored = found.get();
        checkFits(stored, request);
        Optional<RdmaBuf> leased = pool.tryAcquire(stored.lengthBytes());
        return leased.isEmpty() ? Optional.empty() : begin(request, memory, client, stored, leased.get());
    }

    private Optional<CompletableFuture<Reply>> begin(
            Request request, RemoteBuf memory, ClientMemory client, Stored stored, RdmaBuf buf) throws IOException {
        boolean isBegun = false;
        try {
            BufView view = buf.view();
            ByteBuffer bytes = view.asByteBuffer();
            if (!store.read(request.block(), stored, bytes)) {
                return Optional.empty();
            }
            if (Checksum.of(bytes) != stored.payloadCrc()) {
                return known(corrupt(request));
            }
            CompletableFuture<Void> moved = client.beginWrite(memory.first(stored.lengthBytes()), view);
            isBegun = true;
            return Optional.of(moved.whenComplete((_, _) -> buf.close()).thenApply(_ -> done(request, stored)));
        } finally {
            if (!isBegun) {
                buf.close();
            }
        }
    }

    private static Optional<CompletableFuture<Reply>> known(Reply reply) {
        return Optional.of(CompletableFuture.completedFuture(reply));
    }

    private Reply write(Request request, RemoteBuf memory, ClientMemory client)
            throws IOException, InterruptedException {
        try (RdmaBuf buf = pool.acquire(request.lengthBytes(), BUFFER_TIMEOUT)) {
            BufView view = buf.view();
            client.read(memory.first(request.lengthBytes()), view);
            ByteBuffer bytes = view.asByteBuffer();
            if (Checksum.of(bytes) != request.payloadCrc()) {
                return Reply.of(Status.CORRUPT, request, "the bytes that were read fail the checksum of the request");
            }
            return stored(request, written(request, bytes));
        }
    }

    private WriteResult written(Request request, ByteBuffer bytes) throws IOException, InterruptedException {
        try {
            return store.write(request.block(), request.revision(), request.payloadCrc(), bytes)
                    .get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    private static Reply stored(Request request, WriteResult result) {
        return switch (result.outcome()) {
            case STORED -> done(request, result.revision(), request.lengthBytes(), request.payloadCrc());
            case STALE -> Reply.of(Status.STALE, request, "the block has revision " + result.revision());
            case FULL -> Reply.of(Status.FULL, request, "the files have their most bytes");
        };
    }

    private static Reply corrupt(Request request) {
        return Reply.of(Status.CORRUPT, request, "the stored bytes fail their checksum");
    }

    private static Reply done(Request request, Stored stored) {
        return done(request, stored.revision(), stored.lengthBytes(), stored.payloadCrc());
    }

    private static Reply done(Request request, long revision, int lengthBytes, int payloadCrc) {
        return new Reply(Status.DONE, 0, request.session(), request.id(), revision, lengthBytes, payloadCrc, "");
    }
}
