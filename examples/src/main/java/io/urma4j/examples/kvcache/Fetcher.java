package io.urma4j.examples.kvcache;

import io.urma4j.CompletionBatch;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PreparedTransfer;
import io.urma4j.RemoteSegment;
import io.urma4j.TransferNotice;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fetches blocks by index lists: a prepared transfer for each layer, of which each post has one record. With a notification, a message
 * without bytes follows the last block, so it arrives when all bytes are here. For one thread.
 */
final class Fetcher {
    private static final Duration TIMEOUT = Duration.ofSeconds(30); // longer than that of the queue

    private final Link link;
    private final LocalSegment local;
    private final int blockBytes;
    private final TransferNotice allFetched;
    private final Map<RemoteSegment, PreparedTransfer> transfers = new HashMap<>();

    /** @param local where blocks go, by index */
    Fetcher(Link link, LocalSegment local, int blockBytes) {
        this.link = link;
        this.local = local;
        this.blockBytes = blockBytes;
        this.allFetched = TransferNotice.message(link.peer());
    }

    /** Fetches block {@code remotes[i]} of a layer to place {@code locals[i]}, for all i below {@code count}. */
    void fetch(RemoteSegment layer, int[] remotes, int[] locals, int count) throws InterruptedException {
        fetch(layer, remotes, locals, count, TransferNotice.NONE, 0);
    }

    /**
     * The same; and the producer receives {@code number} once all earlier fetches and this one have ended.
     *
     * @param number 0…2<sup>31</sup> − 1
     */
    void fetchAndNotify(RemoteSegment layer, int[] remotes, int[] locals, int count, int number)
            throws InterruptedException {
        fetch(layer, remotes, locals, count, allFetched, number);
    }

    private void fetch(RemoteSegment layer, int[] remotes, int[] locals, int count, TransferNotice notice, long value)
            throws InterruptedException {
        PreparedTransfer transfer = transfers.computeIfAbsent(layer, this::prepared);
        if (!transfer.post(Opcode.READ, locals, 0, remotes, 0, count, count, notice, value)) {
            throw new IllegalStateException("the queue is full, though it is empty");
        }
        awaitRecord(layer);
    }

    private PreparedTransfer prepared(RemoteSegment layer) {
        int blocks = Math.toIntExact(layer.lengthBytes() / blockBytes);
        return PreparedTransfer.of(link.jetty().jfs(), List.of(layer), local, blockBytes, blocks);
    }

    private void awaitRecord(RemoteSegment layer) throws InterruptedException {
        if (!link.sent().await(TIMEOUT)) {
            throw new CacheException("a fetch from " + layer + " has no record");
        }
        CompletionBatch record = link.sent().batch();
        if (!record.isSuccess(0)) {
            throw new CacheException("a fetch from " + layer + " ended with " + record.status(0)
                    + (layer.isRevoked() ? ": the producer is gone" : ""));
        }
    }
}
