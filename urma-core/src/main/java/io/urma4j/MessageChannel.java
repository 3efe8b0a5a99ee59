package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.ClosingRank;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.message.MessageReceiver;
import io.urma4j.internal.message.MessageSender;
import io.urma4j.internal.message.PublishedAddress;
import io.urma4j.internal.message.ReplyEnvelope;
import io.urma4j.internal.message.ReplyPeers;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Messages as simple calls: an address of one's own, and others' to send to. Made by {@link UrmaContext#openMessageChannel}.
 *
 * <pre>{@code
 * try (MessageChannel channel = context.openMessageChannel()) {
 *     channel.publish("worker");                    // or print(channel.share()), for any side channel
 *     Peer peer = channel.connect("name:boss");     // or the line of the peer
 *     peer.send(bytes);                             // returns when the peer's buffers have it
 *     Optional<Message> answer = channel.receive(Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>Messages of one thread to one peer arrive in the order in which they were sent. A peer that does not receive holds
 * up who sends to it, each for at most {@link Options#sendTimeout}, and nobody else. When a message fails, for example
 * because it is longer than the peer's buffers, its sender gets an {@link OperationFailedException}, and so do those of
 * messages to that peer that were started at the same time; the channel goes on.
 *
 * <p>A message can be answered when its sender agreed to that by {@code sendWithReply}: it carries address and token of the
 * sender's channel, and its receiver calls {@link #reply(Message, byte[])}, without having known the sender before:
 *
 * <pre>{@code
 * boss.sendWithReply(question);                     // one process
 * Message question = channel.receive(timeout).orElseThrow();
 * channel.reply(question, answer);                  // another; the first one receives the answer
 * }</pre>
 *
 * <p>{@link Message#sender} is no address: it names the queue that a message came from, one per channel and peer.
 *
 * <p>Safe for any number of threads; a waiting virtual thread frees its carrier. An interrupt ends a wait with EAGAIN,
 * the flag set.
 */
public final class MessageChannel implements AutoCloseable {
    private static final int REPLY_SEND_BUFFERS = 4;

    private final UrmaContext context;
    private final Options options;
    private final MessageReceiver receiver;
    private final ClosingOrder peers = new ClosingOrder(this);
    private final ReplyPeers replyPeers = new ReplyPeers(this::connectToReply);
    private final Lifetime life = new Lifetime(this);

    private MessageChannel(UrmaContext context, Options options) {
        this.context = context;
        this.options = options;
        this.receiver = new MessageReceiver(context, options, this, context::leadsTo);
    }

    static MessageChannel open(UrmaContext context, Options options) {
        DeviceAttributes.Limits limits = context.attributes().limits();
        long maxMessage = Math.min(limits.messageBytes(), Options.MAX_MESSAGE_BYTES);
        Checks.inRange(context, "maxMessageBytes", options.maxMessageBytes(), 1, maxMessage);
        int maxReceives = Math.min(limits.jfrDepth(), limits.jfcDepth());
        Checks.inRange(context, "receiveBuffers", options.receiveBuffers(), 1, maxReceives);
        int maxSends = Math.min(limits.jfsDepth(), limits.jfcDepth() - 1);
        Checks.inRange(context, "sendBuffers", options.sendBuffers(), 1, maxSends);
        Checks.positive(context, "sendTimeout", options.sendTimeout());
        return context.children().add(new MessageChannel(context, options), ClosingRank.COMFORT);
    }

    /** The address that peers send to. */
    public JettyId id() {
        return receiver.jfr().descriptor().id();
    }

    /** Address and token as one line, with which a peer can {@link #connect}. */
    public String share() {
        life.checkOpen();
        return receiver.jfr().share();
    }

    /**
     * Makes the channel visible under a name to processes of this user on this host, until it is closed; they {@link #connect}
     * by {@code name:NAME}.
     *
     * @param name 1…255 characters, letters, digits, {@code . _ -}
     * @throws UrmaException EEXIST when something else has the name
     */
    public void publish(String name) {
        life.checkOpen();
        receiver.jfr().publish(name);
    }

    /**
     * Gets the right to send to who {@linkplain #share shared} the line or {@linkplain #publish published} the name, and what it
     * takes to send there. Blocks at most the context's import timeout.
     *
     * @param lineOrName a line, or {@code name:NAME}
     * @throws DescriptorException when the line is not as it was written
     * @throws UrmaException ENOPERM when the peer refuses, ETIMEOUT when it cannot be reached; EINVAL when it is no
     *     queue of mode RM
     */
    public Peer connect(String lineOrName) {
        life.checkOpen();
        return connect(PublishedAddress.find(context, lineOrName));
    }

    /** The same for an address that is at hand, for example {@link Message#replyTo}. */
    public Peer connect(SharedJetty shared) {
        life.checkOpen();
        if (shared.descriptor().mode() != TransportMode.RM) {
            throw Checks.invalid(
                    this,
                    "a channel sends in mode RM, but the peer has mode "
                            + shared.descriptor().mode());
        }
        return peers.add(new Peer(context.importJetty(shared), options), 0);
    }

    private Peer connectToReply(SharedJetty shared) {
        // whoever asks decides how many of these there are
        Options few = options.withSendBuffers(Math.min(options.sendBuffers(), REPLY_SEND_BUFFERS));
        return peers.add(new Peer(context.importJetty(shared, options.sendTimeout()), few), 0);
    }

    /** Answers a message; {@link #reply(Message, MemorySegment, OptionalLong)} without a number. */
    public void reply(Message message, byte[] payload) {
        reply(message, MemorySegment.ofArray(payload), OptionalLong.empty());
    }

    /** Answers a message; {@link #reply(Message, MemorySegment, OptionalLong)}. */
    public void reply(Message message, byte[] payload, long immediate) {
        reply(message, MemorySegment.ofArray(payload), OptionalLong.of(immediate));
    }

    /**
     * Answers a message that was sent by {@code sendWithReply}, any number of times; returns when the buffers of its
     * sender's channel have the answer. The first answer to a channel imports it, and the channel keeps the import of
     * the 64 that it answered last. Blocks at most {@link Options#sendTimeout} for the import, and as long again for the
     * message; a sender that is slow on purpose holds up the calling thread that long, and no other answer.
     *
     * @param message with a {@link Message#replyTo}; any channel may have received it
     * @param payload at most {@link Options#maxMessageBytes}, on the heap or outside
     * @param immediate a number that arrives beside the bytes
     * @throws OperationFailedException when the sender's channel did not take it, or is gone
     * @throws UrmaException EINVAL when the message carries no address, or the answer is longer than this channel's limit;
     *     ENOPERM when the sender's channel is closed, or refuses; ETIMEOUT when it cannot be reached, or did not take
     *     the answer in time
     */
    public void reply(Message message, MemorySegment payload, OptionalLong immediate) {
        checkPayload(payload);
        SharedJetty address = message.replyTo()
                .orElseThrow(() -> Checks.invalid(
                        this,
                        "the message from " + message.sender()
                                + " has no reply address; its sender must use sendWithReply"));
        replyPeers.with(address, peer -> peer.send(payload, immediate));
    }

    /** Waits for the next message, at most so long; empty when none came. */
    public Optional<Message> receive(Duration timeout) {
        life.checkOpen();
        if (timeout.isNegative()) {
            throw Checks.invalid(this, "timeout is " + timeout + ", must not be negative");
        }
        try {
            return receiver.receive(timeout);
        } catch (InterruptedException e) {
            throw interrupted(e, "while waiting for a message; none was lost");
        }
    }

    /**
     * Messages received, refused because they were too long for its buffers, and notices that were no messages; and of those
     * received, the ones whose reply address was not readable, or led to another context than their sender's. And the imports
     * that it keeps for {@link #reply(Message, byte[])}.
     */
    public Counters counters() {
        return receiver.counters(replyPeers.size());
    }

    /** Somebody to send to. Safe for any number of threads. */
    public final class Peer implements AutoCloseable {
        private final MessageSender sender;

        private Peer(TargetJetty target, Options options) {
            sender = new MessageSender(context, options, target, this);
        }

        /** Its address. */
        public JettyId id() {
            return sender.target().id();
        }

        /** Whether messages can go there; {@link TargetJetty#isConnected}. */
        public boolean isConnected() {
            return sender.target().isConnected();
        }

        /** Whether the message came from the peer's context. Channels of one context cannot be told apart. */
        public boolean sent(Message message) {
            return message.sender().uasid() == id().uasid()
                    && message.sender().eid().equals(id().eid());
        }

        /** Sends a message; returns when the peer's buffers have it. */
        public void send(byte[] payload) {
            send(MemorySegment.ofArray(payload), OptionalLong.empty());
        }

        /** Sends a message with a number beside it; returns when the peer's buffers have it. */
        public void send(byte[] payload, long immediate) {
            send(MemorySegment.ofArray(payload), OptionalLong.of(immediate));
        }

        /**
         * Sends a message; returns when the peer's buffers have it.
         *
         * @param payload at most {@link Options#maxMessageBytes}, on the heap or outside
         * @param immediate a number that arrives beside the bytes
         * @throws OperationFailedException when the peer did not take it, for example because it is longer than the
         *     peer's buffers
         * @throws UrmaException EINVAL when it is longer than this channel's limit; ETIMEOUT when the peer did not take
         *     it in time: then it may still arrive
         */
        public void send(MemorySegment payload, OptionalLong immediate) {
            finish(begin(payload, immediate));
        }

        /** Sends a message that can be answered; {@link #sendWithReply(MemorySegment, OptionalLong)} without a number. */
        public void sendWithReply(byte[] payload) {
            sendWithReply(MemorySegment.ofArray(payload), OptionalLong.empty());
        }

        /** Sends a message that can be answered; {@link #sendWithReply(MemorySegment, OptionalLong)}. */
        public void sendWithReply(byte[] payload, long immediate) {
            sendWithReply(MemorySegment.ofArray(payload), OptionalLong.of(immediate));
        }

        /**
         * As {@link #send(MemorySegment, OptionalLong)}, and the peer can answer by {@link MessageChannel#reply(Message,
         * byte[])}: this channel receives the answer. The message carries address and token of this channel, so the peer
         * can send here until this channel is closed. These take about 200 bytes of {@link Options#maxMessageBytes}, here
         * and at the peer. A peer that is no channel of urma4j receives them in front of the payload.
         */
        public void sendWithReply(MemorySegment payload, OptionalLong immediate) {
            checkPayload(payload);
            byte[] line = share().getBytes(StandardCharsets.US_ASCII);
            Checks.inRange(
                    MessageChannel.this, "length of the reply address", line.length, 1, ReplyEnvelope.MAX_LINE_BYTES);
            long room = (long) options.maxMessageBytes() - ReplyEnvelope.HEAD_BYTES - line.length;
            if (payload.byteSize() > room) {
                throw Checks.invalid(
                        MessageChannel.this,
                        "a message of " + payload.byteSize() + " bytes with a reply address of "
                                + (ReplyEnvelope.HEAD_BYTES + line.length)
                                + " is longer than the channel's maxMessageBytes of " + options.maxMessageBytes());
            }
            send(ReplyEnvelope.seal(line, payload, immediate), OptionalLong.of(ReplyEnvelope.MARK));
        }

        /**
         * Hands a message over, and returns when it has a buffer of ours: {@code payload} is free again then. Blocks
         * only while no buffer is free.
         *
         * @return completes when the peer's buffers have it, with what {@link #send(MemorySegment, OptionalLong)} would
         *     have thrown otherwise
         */
        public CompletableFuture<Void> sendAsync(MemorySegment payload, OptionalLong immediate) {
            return finishLater(begin(payload, immediate));
        }

        /**
         * As {@link #sendAsync}, but never waits.
         *
         * @return empty when no buffer is free, and nothing was sent
         */
        public Optional<CompletableFuture<Void>> trySend(MemorySegment payload, OptionalLong immediate) {
            return Optional.ofNullable(begin(payload, immediate, Duration.ZERO)).map(this::finishLater);
        }

        private MessageSender.Sending begin(MemorySegment payload, OptionalLong immediate) {
            MessageSender.Sending sending = begin(payload, immediate, options.sendTimeout());
            if (sending == null) {
                throw new UrmaException(
                        UrmaStatus.ETIMEOUT,
                        this,
                        "all " + options.sendBuffers() + " send buffers have been in flight for "
                                + options.sendTimeout() + "; nothing was sent");
            }
            return sending;
        }

        private MessageSender.@Nullable Sending begin(MemorySegment payload, OptionalLong immediate, Duration timeout) {
            checkPayload(payload);
            try {
                return sender.begin(payload, immediate, timeout);
            } catch (InterruptedException e) {
                throw interrupted(e, "while waiting for a send buffer; nothing was sent");
            }
        }

        private void finish(MessageSender.Sending sending) {
            try {
                sender.finish(sending, options.sendTimeout());
            } catch (InterruptedException e) {
                throw interrupted(e, "while a message was in flight; it may still be delivered");
            }
        }

        private CompletableFuture<Void> finishLater(MessageSender.Sending sending) {
            return CompletableFuture.runAsync(() -> finish(sending), ResultExecutors.VIRTUAL_THREADS);
        }

        /** Messages that its buffers took, that failed, and that are in flight; and how often a waiting thread was woken. */
        public Counters counters() {
            return sender.counters();
        }

        /** Gives the right to send back; messages under way arrive or not, and who waits sees it closed. Idempotent. */
        @Override
        public void close() {
            peers.remove(this);
            sender.close();
        }

        @Override
        public String toString() {
            return "peer " + id();
        }
    }

    private void checkPayload(MemorySegment payload) {
        life.checkOpen();
        if (payload.byteSize() > options.maxMessageBytes()) {
            throw Checks.invalid(
                    this,
                    "a message of " + payload.byteSize() + " bytes is longer than the channel's maxMessageBytes of "
                            + options.maxMessageBytes());
        }
        Checks.usableHere(this, "payload", payload);
    }

    private UrmaException interrupted(InterruptedException cause, String when) {
        Thread.currentThread().interrupt();
        return new UrmaException(UrmaStatus.EAGAIN, this, "the thread was interrupted " + when, cause);
    }

    /** Ends it and its peers; messages that were not received are lost, and waiting threads see it closed. Idempotent. */
    @Override
    public void close() {
        if (life.end()) {
            context.children().remove(this);
            RuntimeException failure = peers.closeAll();
            try {
                receiver.close();
            } finally {
                ClosingOrder.throwIfFailed(failure);
            }
        }
    }

    @Override
    public String toString() {
        return "message channel of " + context;
    }

    /**
     * What a channel is to be like. Made with {@link #builder}.
     *
     * @param maxMessageBytes longest message, sent and received; the size of each buffer
     * @param receiveBuffers how many messages may wait to be received before senders have to wait
     * @param sendBuffers how many messages to one peer may be under way
     * @param sendTimeout how long a send waits for its peer
     */
    public record Options(int maxMessageBytes, int receiveBuffers, int sendBuffers, Duration sendTimeout) {
        /** Longest message of any channel: 1 GiB. */
        public static final int MAX_MESSAGE_BYTES = 1 << 30;

        /** 8 KiB, 64 buffers to receive, 16 to send to each peer, 30 s. */
        public static final Options DEFAULT = builder().build();

        private Options withSendBuffers(int count) {
            return new Options(maxMessageBytes, receiveBuffers, count, sendTimeout);
        }

        public static Builder builder() {
            return new Builder();
        }

        /** Collects the values; each defaults as {@link #DEFAULT} says. */
        public static final class Builder {
            private int maxMessageBytes = 8192;
            private int receiveBuffers = 64;
            private int sendBuffers = 16;
            private Duration sendTimeout = Duration.ofSeconds(30);

            private Builder() {}

            public Builder maxMessageBytes(int maxMessageBytes) {
                this.maxMessageBytes = maxMessageBytes;
                return this;
            }

            public Builder receiveBuffers(int receiveBuffers) {
                this.receiveBuffers = receiveBuffers;
                return this;
            }

            public Builder sendBuffers(int sendBuffers) {
                this.sendBuffers = sendBuffers;
                return this;
            }

            public Builder sendTimeout(Duration sendTimeout) {
                this.sendTimeout = sendTimeout;
                return this;
            }

            public Options build() {
                return new Options(maxMessageBytes, receiveBuffers, sendBuffers, sendTimeout);
            }
        }
    }
}
