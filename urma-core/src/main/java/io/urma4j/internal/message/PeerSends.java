package io.urma4j.internal.message;

import io.urma4j.MessageChannel;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ResultExecutors;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The ways to send a message to one peer: they differ in what the caller waits for. Safe for any number of threads. */
public final class PeerSends {
    private final MessageSender sender;
    private final MessageChannel.Options options;
    private final Object peer;

    /** @param peer named in refusals */
    public PeerSends(MessageSender sender, MessageChannel.Options options, Object peer) {
        this.sender = sender;
        this.options = options;
        this.peer = peer;
    }

    /** Waits until the message was received. */
    public void send(MemorySegment payload, OptionalLong immediate) {
        finish(begin(payload, immediate));
    }

    /** Waits for a send buffer; another thread waits until the message was received. */
    public CompletableFuture<Void> sendAsync(MemorySegment payload, OptionalLong immediate) {
        return finishLater(begin(payload, immediate));
    }

    /** {@link #sendAsync} without a wait; null if no buffer is free. */
    public @Nullable CompletableFuture<Void> trySend(MemorySegment payload, OptionalLong immediate) {
        Sending sending = begin(payload, immediate, Duration.ZERO);
        return sending == null ? null : finishLater(sending);
    }

    /** Waits for a send buffer; no thread waits for the result. */
    public void post(MemorySegment payload, OptionalLong immediate) {
        begin(payload, immediate);
        sender.lookAfterPosted();
    }

    private Sending begin(MemorySegment payload, OptionalLong immediate) {
        Sending sending = begin(payload, immediate, options.sendTimeout());
        if (sending == null) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT,
                    peer,
                    "all " + options.sendBuffers() + " send buffers have been in flight for " + options.sendTimeout()
                            + "; nothing was sent");
        }
        return sending;
    }

    private @Nullable Sending begin(MemorySegment payload, OptionalLong immediate, Duration timeout) {
        try {
            return sender.begin(payload, immediate, timeout);
        } catch (InterruptedException e) {
            throw interrupted(peer, e, "while waiting for a send buffer; nothing was sent");
        }
    }

    private void finish(Sending sending) {
        try {
            sender.finish(sending, options.sendTimeout());
        } catch (InterruptedException e) {
            throw interrupted(peer, e, "while a message was in flight; it may still be delivered");
        }
    }

    private CompletableFuture<Void> finishLater(Sending sending) {
        return CompletableFuture.runAsync(() -> finish(sending), ResultExecutors.VIRTUAL_THREADS);
    }

    /** Sets the thread's flag again. */
    public static UrmaException interrupted(Object owner, InterruptedException cause, String when) {
        Thread.currentThread().interrupt();
        return new UrmaException(UrmaStatus.EAGAIN, owner, "the thread was interrupted " + when, cause);
    }
}
