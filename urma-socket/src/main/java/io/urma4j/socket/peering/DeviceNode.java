package io.urma4j.socket.peering;

import io.urma4j.AsyncEvents;
import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.UrmaContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * What a process needs for connections by one device: a message channel for greetings, and a thread that receives them. No byte of a
 * connection passes through that thread. Safe for any thread.
 */
final class DeviceNode implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DeviceNode.class.getName());
    private static final Duration RECEIVE_TIMEOUT = Duration.ofSeconds(1);
    private static final long PAUSE_NANOS = 10_000_000; // after an error, for others to free memory

    private final UrmaContext context;
    private final MessageChannel channel;
    private final Client client;
    private final Server server;
    private final Thread receiver;
    private volatile boolean closed;

    DeviceNode(UrmaContext context, MessageChannel channel, Medium medium, Duration offerTimeout) {
        this.context = context;
        this.channel = channel;
        this.client = new Client(channel, medium, offerTimeout);
        this.server = new Server(channel, medium);
        String name = "urma-socket-greetings-" + context.device().name();
        this.receiver = Thread.ofPlatform().daemon().name(name).start(this::receive);
    }

    Client client() {
        return client;
    }

    Server server() {
        return server;
    }

    private void receive() {
        while (!closed) {
            try {
                channel.receive(RECEIVE_TIMEOUT).ifPresent(this::received);
                takeEvents();
            } catch (RuntimeException e) {
                logFailed(e);
            } catch (Error e) { // as of memory; it ends one greeting, and not those of all processes
                logFailed(e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void logFailed(Throwable failure) {
        if (closed) {
            return;
        }
        try {
            LOG.log(System.Logger.Level.WARNING, "a greeting was not handled", failure);
        } catch (RuntimeException | Error e) {
            // there is no memory for the line either, and the thread must go on
        }
    }

    /** They tell of the end of a peer among others. What they tell else is seen where it matters. */
    private void takeEvents() {
        AsyncEvents events = context.events();
        boolean isSome = false;
        while (events.poll().isPresent()) {
            isSome = true;
        }
        if (isSome) {
            client.lookAtPeers();
            server.lookAtPeers();
        }
    }

    private void received(Message message) {
        Optional<Greeting> greeting = Greeting.parse(message.bytes());
        if (greeting.isEmpty()) {
            LOG.log(System.Logger.Level.DEBUG, () -> message.sender() + " sent no greeting");
            return;
        }
        switch (greeting.get()) {
            case Greeting.Hello hello -> server.greeted(message, hello);
            case Greeting.Welcome welcome -> client.answered(message, welcome.request(), welcome);
            case Greeting.Refusal refusal -> client.answered(message, refusal.request(), refusal);
            case Greeting.Pending pending -> server.pending(pending.listener());
        }
    }

    @Override
    public void close() {
        closed = true;
        receiver.interrupt();
        context.close();
    }

    @Override
    public String toString() {
        return "sockets of " + context;
    }
}
