package io.urma4j.examples.kvcache;

import io.urma4j.CompletionBatch;
import io.urma4j.LocalSegment;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.WorkRequestList;
import java.time.Duration;

/**
 * Fetches blocks by index lists: READs that are posted together, and one record at the end. With a notification, a message without
 * bytes follows behind the fence, so it arrives when all bytes are here. For one thread.
 */
final class Fetcher {
    private static final Duration TIMEOUT = Duration.ofSeconds(30); // longer than that of the queue
    private static final long NO_NOTICE = -1;

    private final Link link;
    private final LocalSegment local;
    private final int blockBytes;
    private final WorkRequestList list = new WorkRequestList(Request.MAX_BLOCKS + 1, 1);

    /** @param local where blocks go, by index */
    Fetcher(Link link, LocalSegment local, int blockBytes) {
        this.link = link;
        this.local = local;
        this.blockBytes = blockBytes;
    }

    /** Fetches block {@code remotes[i]} of a layer to place {@code locals[i]}, for all i below {@code count}. */
    void fetch(RemoteSegment layer, int[] remotes, int[] locals, int count) throws InterruptedException {
        fetch(layer, remotes, locals, count, NO_NOTICE);
    }

    /**
     * The same; and the producer receives {@code number} once all earlier fetches and this one have ended.
     *
     * @param number 0…2<sup>31</sup> − 1
     */
    void fetchAndNotify(RemoteSegment layer, int[] remotes, int[] locals, int count, int number)
            throws InterruptedException {
        fetch(layer, remotes, locals, count, number);
    }

    private void fetch(RemoteSegment layer, int[] remotes, int[] locals, int count, long notice)
            throws InterruptedException {
        list.clear();
        for (int i = 0; i < count; i++) {
            boolean isLast = i == count - 1 && notice == NO_NOTICE;
            list.read(layer, (long) remotes[i] * blockBytes, i)
                    .into(local, (long) locals[i] * blockBytes, blockBytes)
                    .flags(isLast ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED);
        }
        if (notice != NO_NOTICE) {
            list.sendImmediate(link.peer(), notice, count).flags(PostFlags.DEFAULT.fenced());
        }
        if (link.jetty().jfs().post(list) < list.size()) { // it holds a whole list, and is empty
            throw list.refusal().orElseThrow(() -> new IllegalStateException("the queue is full, though it is empty"));
        }
        awaitRecord(layer);
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
