package io.urma4j.examples.blockstore;

import io.urma4j.JettyId;
import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.UrmaException;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.RemoteBufCodec;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import java.util.concurrent.Executor;

/**
 * A client, as the server sees it: the channel that its replies go to, its memory, and its credits. It ends when its client says
 * so or begins another, and when a transfer or a reply fails. The client then begins a new one.
 */
final class Session implements AutoCloseable {
    private final long number;
    private final JettyId sender;
    private final MessageChannel.Peer client;
    private final ClientMemory memory;
    private final Credits credits;
    private final Executor threads;
    private final RemoteBufCodec codec = new RemoteBufCodec(); // used by the receiving thread alone
    private volatile boolean failed;

    Session(
            long number,
            JettyId sender,
            MessageChannel.Peer client,
            ClientMemory memory,
            Credits credits,
            Executor threads) {
        this.number = number;
        this.sender = sender;
        this.client = client;
        this.memory = memory;
        this.credits = credits;
        this.threads = threads;
        credits.open(sender);
    }

    long number() {
        return number;
    }

    ClientMemory memory() {
        return memory;
    }

    /** Whether the message is a request of it; another process may have guessed the number. */
    boolean sent(Message message) {
        return !failed && message.sender().equals(sender);
    }

    /** Whether its client is that process: a process has one session, so none can take them all. */
    boolean isOf(JettyId other) {
        return sender.uasid() == other.uasid() && sender.eid().equals(other.eid());
    }

    /** Decodes what follows the head of a request. */
    RemoteBuf memoryOf(Message message) {
        try {
            return codec.decode(message.payload().asSlice(Head.BYTES));
        } catch (UrmaException e) {
            throw new BadMessageException("no memory follows the head: " + e.reason());
        }
    }

    /** Takes a credit for a request; false if the client has none left. */
    boolean begin() {
        return credits.begin(sender);
    }

    /** Returns the credit, and then sends the reply: the client may use the credit as soon as it has the reply. */
    void end(Reply reply) {
        credits.end(sender);
        send(reply);
    }

    /** The same for a thread that must not wait: another one waits for a client that receives nothing, and so keeps all buffers. */
    void endAtOnce(Reply reply) {
        credits.end(sender);
        try {
            if (client.trySend(bytesOf(reply), OptionalLong.empty()).isEmpty()) {
                threads.execute(() -> send(reply));
            }
        } catch (UrmaException e) {
            fail();
        }
    }

    /**
     * Sends a reply, without waiting for its receipt. There are more send buffers than credits, so it waits for a buffer only if the
     * client breaks the rules; at most as long as the channel's timeout for a send.
     */
    void send(Reply reply) {
        try {
            client.post(bytesOf(reply), OptionalLong.empty());
        } catch (UrmaException e) {
            fail();
        }
    }

    private MemorySegment bytesOf(Reply reply) {
        return reply.withCredits(credits.limit()).toMessage();
    }

    /** Lets the server close it soon, and serve no further request of it. */
    void fail() {
        failed = true;
    }

    boolean isOver() {
        return failed || !client.isConnected();
    }

    @Override
    public void close() {
        credits.close(sender);
        client.close();
    }

    @Override
    public String toString() {
        return "session " + number + " of " + sender;
    }
}
