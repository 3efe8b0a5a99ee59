package io.urma4j;

import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.ClosingRank;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.message.MessageReceiver;
import io.urma4j.internal.message.MessageSender;
import io.urma4j.internal.message.PeerSends;
import io.urma4j.internal.message.PublishedAddress;
import io.urma4j.internal.message.ReplyEnvelope;
import io.urma4j.internal.message.ReplyPeers;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;

/**
 * A message channel with simple calls: it has its own address, and sends to the addresses of peers. Created by {@link
 * UrmaContext#openMessageChannel}.
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
 * <p>Messages of one thread to one peer arrive in the order in which they were sent. A peer that does not receive blocks only
 * its own senders, each for at most {@link Options#sendTimeout}. If a message fails, for example because it is longer than the
 * peer's buffers, its sender gets an {@link OperationFailedException}. So do the senders of concurrent messages to that peer;
 * the channel stays usable.
 *
 * <p>A message can be answered if it was sent by {@code sendWithReply}: it carries address and token of the sender's channel.
 * Its receiver calls {@link #reply(Message, byte[])}, and need not know the sender:
 *
 * <pre>{@code
 * boss.sendWithReply(question);                     // one process
 * Message question = channel.receive(timeout).orElseThrow();
 * channel.reply(question, answer);                  // another; the first one receives the answer
 * }</pre>
 *
 * <p>{@link Message#sender} is no address: it names the sending queue, one per channel and peer.
 *
 * <p>Safe for any number of threads; a waiting virtual thread releases its carrier. An interrupt ends a wait with EAGAIN, and
 * the flag stays set.
 */
public final class MessageChannel implements AutoCloseable {
    private static final int REPLY_SEND_BUFFERS = 4;

    private final UrmaContext context;
    private final Options options;
    private final MessageReceiver receiver;
    private final ClosingOrder peers = new ClosingOrder(this);
    private final ReplyPeers replyPeers = new ReplyPeers(this::connectToReply);
    private final Lifetime life = new Lifetime(this);

    private MessageChannel(UrmaContext context, Options options, BiPredicate<JettyDescriptor, JettyId> leadsTo) {
        this.context = context;
        this.options = options;
        this.receiver = new MessageReceiver(context, options, this, leadsTo);
    }

    static MessageChannel open(UrmaContext context, Options options, BiPredicate<JettyDescriptor, JettyId> leadsTo) {
        DeviceAttributes.Limits limits = context.attributes().limits();
        long maxMessage = Math.min(limits.messageBytes(), Options.MAX_MESSAGE_BYTES);
        Checks.inRange(context, "maxMessageBytes", options.maxMessageBytes(), 1, maxMessage);
        int maxReceives = Math.min(limits.jfrDepth(), limits.jfcDepth());
        Checks.inRange(context, "receiveBuffers", options.receiveBuffers(), 1, maxReceives);
        int maxSends = Math.min(limits.jfsDepth(), limits.jfcDepth() - 1);
        Checks.inRange(context, "sendBuffers", options.sendBuffers(), 1, maxSends);
        Checks.positive(context, "sendTimeout", options.sendTimeout());
        return context.children().add(new MessageChannel(context, options, leadsTo), ClosingRank.COMFORT);
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
     * Connects to a peer that {@linkplain #share shared} the line or {@linkplain #publish published} the name. Blocks at
     * most the context's import timeout.
     *
     * @param lineOrName a line, or {@code name:NAME}
     * @throws DescriptorException if the line was changed
     * @throws UrmaException ENOPERM if the peer refuses, ETIMEOUT if it cannot be reached; EINVAL if it is no queue of mode
     *     RM
     */
    public Peer connect(String lineOrName) {
        life.checkOpen();
        return connect(PublishedAddress.find(context, lineOrName));
    }

    /** Connects to an address that the caller already has, for example {@link Message#replyTo}. */
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
        // the caller decides how many of these exist
        Options few = options.withSendBuffers(Math.min(options.sendBuffers(), REPLY_SEND_BUFFERS));
        Duration most = context.options().importTimeout();
        Duration timeout = options.sendTimeout().compareTo(most) < 0 ? options.sendTimeout() : most;
        var target = context.beginImport(shared.descriptor(), shared.token(), timeout, ResultExecutors.AT_ONCE);
        return peers.add(new Peer(Await.result(context, target), few), 0);
    }

    /** Replies to a message; {@link #reply(Message, MemorySegment, OptionalLong)} without an immediate. */
    public void reply(Message message, byte[] payload) {
        reply(message, MemorySegment.ofArray(payload), OptionalLong.empty());
    }

    /** Replies to a message; {@link #reply(Message, MemorySegment, OptionalLong)}. */
    public void reply(Message message, byte[] payload, long immediate) {
        reply(message, MemorySegment.ofArray(payload), OptionalLong.of(immediate));
    }

    /**
     * Replies to a message that was sent by {@code sendWithReply}, any number of times. Returns when the buffers of its
     * sender's channel have received the reply. The first reply to a channel imports it; the channel caches the imports of
     * the last 64.
     *
     * <p>Blocks at most {@link Options#sendTimeout} for the import, and the same time for the message. A slow sender blocks
     * the calling thread that long, and no other reply.
     *
     * @param message with a {@link Message#replyTo}; any channel may have received it
     * @param payload at most {@link Options#maxMessageBytes}, on the heap or off-heap
     * @param immediate a number sent with the bytes
     * @throws OperationFailedException if the sender's channel did not receive it, or is gone
     * @throws UrmaException EINVAL if the message has no reply address, or the reply exceeds this channel's limit; ENOPERM
     *     if the sender's channel is closed, or refuses; ETIMEOUT if it cannot be reached, or did not receive the reply in
     *     time
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

    /** Waits at most {@code timeout} for the next message; empty if none arrived. */
    public Optional<Message> receive(Duration timeout) {
        life.checkOpen();
        if (timeout.isNegative()) {
            throw Checks.invalid(this, "timeout is " + timeout + ", must not be negative");
        }
        try {
            return receiver.receive(timeout);
        } catch (InterruptedException e) {
            throw PeerSends.interrupted(this, e, "while waiting for a message; none was lost");
        }
    }

    /**
     * The next message, if one has arrived. Never waits, and asks for no wake-up: for a thread that polls. Another thread that
     * {@linkplain #receive waits} for a message gets it first.
     */
    public Optional<Message> poll() {
        life.checkOpen();
        return receiver.poll();
    }

    /**
     * Counts of messages received, of messages rejected as longer than the buffers, and of notifications that were no
     * messages. Also the messages received with a reply address that is unreadable or of another context, and the cached
     * imports of {@link #reply(Message, byte[])}.
     *
     * @throws UrmaException EINVAL when closed
     */
    public Counters counters() {
        life.checkOpen();
        return receiver.counters(replyPeers.size());
    }

    /** A peer to send messages to. Safe for any number of threads. */
    public final class Peer implements AutoCloseable {
        private final MessageSender sender;
        private final PeerSends sends;

        private Peer(TargetJetty target, Options options) {
            sender = new MessageSender(context, options, target, this);
            sends = new PeerSends(sender, options, this);
        }

        /** Its address. */
        public JettyId id() {
            return sender.target().id();
        }

        /** Whether messages can be sent to it; see {@link TargetJetty#isConnected}. */
        public boolean isConnected() {
            return sender.target().isConnected();
        }

        /** Whether the message came from the peer's context. Channels of one context cannot be distinguished. */
        public boolean sent(Message message) {
            return message.sender().uasid() == id().uasid()
                    && message.sender().eid().equals(id().eid());
        }

        /** Sends a message; returns when the peer's buffers have received it. */
        public void send(byte[] payload) {
            send(MemorySegment.ofArray(payload), OptionalLong.empty());
        }

        /** Sends a message with an immediate; returns when the peer's buffers have received it. */
        public void send(byte[] payload, long immediate) {
            send(MemorySegment.ofArray(payload), OptionalLong.of(immediate));
        }

        /**
         * Sends a message; returns when the peer's buffers have received it.
         *
         * @param payload at most {@link Options#maxMessageBytes}, on the heap or off-heap
         * @param immediate a number sent with the bytes
         * @throws OperationFailedException if the peer did not receive it, for example because it is longer than the peer's
         *     buffers
         * @throws UrmaException EINVAL if it exceeds this channel's limit; ETIMEOUT if the peer did not receive it in time:
         *     then it may still arrive
         */
        public void send(MemorySegment payload, OptionalLong immediate) {
            checkPayload(payload);
            sends.send(payload, immediate);
        }

        /**
         * Sends a message that can be replied to; {@link #sendWithReply(MemorySegment, OptionalLong)} without an immediate.
         */
        public void sendWithReply(byte[] payload) {
            sendWithReply(MemorySegment.ofArray(payload), OptionalLong.empty());
        }

        /** Sends a message that can be replied to; {@link #sendWithReply(MemorySegment, OptionalLong)}. */
        public void sendWithReply(byte[] payload, long immediate) {
            sendWithReply(MemorySegment.ofArray(payload), OptionalLong.of(immediate));
        }

        /**
         * Like {@link #send(MemorySegment, OptionalLong)}, but the peer can answer by {@link MessageChannel#reply(Message,
         * byte[])}, and this channel receives the reply. The message carries address and token of this channel, so the peer
         * can send here until this channel is closed. They take about 200 bytes of {@link Options#maxMessageBytes}, here
         * and at the peer. A peer that is no urma4j channel receives them before the payload.
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
         * Starts to send a message, and returns once it is copied to a send buffer: {@code payload} can then be reused.
         * Blocks only while no buffer is free.
         *
         * @return completes when the peer's buffers have received it, or exceptionally as {@link #send(MemorySegment,
         *     OptionalLong)} would
         */
        public CompletableFuture<Void> sendAsync(MemorySegment payload, OptionalLong immediate) {
            checkPayload(payload);
            return sends.sendAsync(payload, immediate);
        }

        /**
         * Like {@link #sendAsync}, but never waits.
         *
         * @return empty if no buffer is free, and nothing was sent
         */
        public Optional<CompletableFuture<Void>> trySend(MemorySegment payload, OptionalLong immediate) {
            checkPayload(payload);
            return Optional.ofNullable(sends.trySend(payload, immediate));
        }

        /**
         * Sends a message, and returns once it is copied to a send buffer: {@code payload} can then be reused. No thread waits
         * for its receipt, so this costs the fewest wake-ups. It suits requests that are answered, and answers. Its result is in the
         * {@link #counters}, and nowhere else. It keeps its place among the other messages, and shares the failure of one that is in
         * flight with it. Blocks only while no buffer is free.
         *
         * @throws UrmaException EINVAL if it exceeds this channel's limit; ETIMEOUT if no buffer was free within {@link
         *     Options#sendTimeout}: then nothing was sent
         */
        public void post(MemorySegment payload, OptionalLong immediate) {
            checkPayload(payload);
            sends.post(payload, immediate);
        }

        /**
         * Counts of messages delivered, failed and in flight, and of wake-ups of waiting threads.
         *
         * @throws UrmaException EINVAL when closed
         */
        public Counters counters() {
            return sender.counters();
        }

        /** Closes the peer. Messages in flight may still arrive; waiting threads get EINVAL. Idempotent. */
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

    /** Closes the channel and its peers. Unread messages are lost, and waiting threads get EINVAL. Idempotent. */
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
     * Options of a channel. Created with {@link #builder}.
     *
     * @param maxMessageBytes maximum message size, sent and received; the size of each buffer
     * @param receiveBuffers how many messages may be unread before senders have to wait
     * @param sendBuffers maximum messages in flight to one peer
     * @param sendTimeout how long a send waits for its peer
     */
    public record Options(int maxMessageBytes, int receiveBuffers, int sendBuffers, Duration sendTimeout) {
        /** Maximum message size of any channel: 1 GiB. */
        public static final int MAX_MESSAGE_BYTES = 1 << 30;

        /** Defaults: 8 KiB, 64 receive buffers, 16 send buffers per peer, 30 s. */
        public static final Options DEFAULT = builder().build();

        private Options withSendBuffers(int count) {
            return new Options(maxMessageBytes, receiveBuffers, count, sendTimeout);
        }

        public static Builder builder() {
            return new Builder();
        }

        /** Collects the values; the defaults are those of {@link #DEFAULT}. */
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
