package io.urma4j.examples.blockstore;

import io.urma4j.Access;
import io.urma4j.JettyId;
import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaException;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.TransferResult;
import io.urma4j.buffer.Transfers;
import java.util.concurrent.CompletableFuture;

/**
 * The memory of one client, as the server reaches it: by one-sided READs and WRITEs of what the client has exported. Safe for any
 * number of threads.
 */
final class ClientMemory {
    private final Transfers transfers;
    private final JettyId client;

    ClientMemory(Transfers transfers, JettyId client) {
        this.transfers = transfers;
        this.client = client;
    }

    /**
     * Refuses memory that does not belong to this client, or that cannot do what the request needs. Otherwise a client could use the
     * server to read and write the memory of others.
     */
    void check(RemoteBuf memory, long lengthBytes, Access needed) {
        for (RemoteBuf.Window window : memory.windows()) {
            SegmentDescriptor segment = window.segment();
            if (segment.uasid() != client.uasid() || !segment.eid().equals(client.eid())) {
                throw new BadMessageException("the memory belongs to another process than the request");
            }
        }
        if (memory.size() < lengthBytes) {
            throw new BadMessageException("memory of " + memory.size() + " bytes for " + lengthBytes);
        }
        if (!memory.access().covers(needed)) {
            throw new BadMessageException("the memory was exported as " + memory.access() + ", must be " + needed);
        }
    }

    /** Fills {@code to} with the client's bytes. */
    void read(RemoteBuf from, BufView to) {
        await(() -> transfers.read(from, to));
    }

    /** Copies {@code from} into the client's memory. */
    void write(RemoteBuf to, BufView from) {
        await(() -> transfers.write(to, from));
    }

    /** Begins {@link #write}; fails, now or later, with {@link TransferFailedException}. */
    CompletableFuture<Void> beginWrite(RemoteBuf to, BufView from) {
        try {
            return transfers.write(to, from).thenAccept(ClientMemory::check);
        } catch (UrmaException e) {
            throw new TransferFailedException(e.reason(), e);
        }
    }

    private static void check(TransferResult result) {
        result.failure().ifPresent(failure -> {
            throw new TransferFailedException(failure.reason(), failure);
        });
    }

    private interface Transfer {
        CompletableFuture<TransferResult> begin();
    }

    /** After a timeout the buffer stays held until the operation has ended, so its lease can be closed at once. */
    private static void await(Transfer transfer) {
        try {
            check(transfer.begin().join());
        } catch (UrmaException e) {
            throw new TransferFailedException(e.reason(), e);
        }
    }
}
