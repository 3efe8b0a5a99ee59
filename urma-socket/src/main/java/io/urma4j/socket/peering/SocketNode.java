package io.urma4j.socket.peering;

import io.urma4j.AsyncEvents;
import io.urma4j.ContextOptions;
import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.Resource;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.internal.ApiAccess;
import io.urma4j.socket.FallbackReason;
import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a process needs for connections over rings: a context of {@code shm0}, a message channel for greetings, and a thread that
 * receives them. No byte of a connection passes through that thread. Safe for any thread.
 */
public final class SocketNode implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SocketNode.class.getName());
    private static final String DEVICE = "shm0";
    private static final Duration IMPORT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration RECEIVE_TIMEOUT = Duration.ofSeconds(1);

    /** An attempt, or why there is none. */
    public record Plan(@Nullable Attempt attempt, FallbackReason reason) {
        private static Plan tcp(FallbackReason reason) {
            return new Plan(null, reason);
        }
    }

    private final SocketSettings settings;
    private final Urma urma;
    private final UrmaContext context;
    private final MessageChannel channel;
    private final HostAddresses addresses = new HostAddresses();
    private final ListenerName names;
    private final Client client;
    private final Server server;
    private final SecureRandom random = new SecureRandom();
    private final Thread receiver;
    private volatile boolean closed;

    /**
     * Opens the device.
     *
     * @param connections what other processes see of those of this one
     * @throws UrmaException if it cannot be opened
     * @throws IOException if the network namespace is unknown
     */
    public SocketNode(SocketSettings settings, UrmaOptions options, Supplier<List<Resource>> connections)
            throws IOException {
        this.settings = settings;
        this.names = ListenerName.ofProcess();
        this.urma = Urma.open(options);
        try {
            this.context = urma.device(DEVICE).openContext(0, new ContextOptions(CLOSE_TIMEOUT, IMPORT_TIMEOUT));
            this.channel = context.openMessageChannel(
                    MessageChannel.Options.builder().sendTimeout(IMPORT_TIMEOUT).build());
            ApiAccess.api().adopt(context, new SocketInspection(connections));
        } catch (RuntimeException e) {
            urma.close();
            throw e;
        }
        Budget budget = new Budget(settings.memoryBytes());
        this.client = new Client(context, channel, names, settings, budget);
        this.server = new Server(context, channel, settings, budget, addresses);
        this.receiver =
                Thread.ofPlatform().daemon().name("urma-socket-greetings").start(this::receive);
    }

    private void receive() {
        while (!closed) {
            try {
                channel.receive(RECEIVE_TIMEOUT).ifPresent(this::received);
                dropEvents();
            } catch (RuntimeException e) {
                if (!closed) {
                    LOG.log(System.Logger.Level.WARNING, "a greeting was not handled", e);
                }
            }
        }
    }

    /** What they tell, such as the end of a peer, is seen where it matters. */
    private void dropEvents() {
        AsyncEvents events = context.events();
        while (events.poll().isPresent()) {
            // until none is left
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

    /** Offers rings for a connection that does not exist yet, and binds its port for that. It waits at most so long. */
    public Plan plan(SocketChannel tcp, InetSocketAddress remote, long timeoutNanos) throws IOException {
        if (settings.excludedPorts().contains(remote.getPort())) {
            return Plan.tcp(FallbackReason.SETTING);
        }
        if (!addresses.contain(remote.getAddress())) {
            return Plan.tcp(FallbackReason.NOT_LOCAL);
        }
        InetSocketAddress reached = reached(remote);
        return switch (client.route(reached, timeoutNanos)) {
            case Client.Closed none -> Plan.tcp(none.reason());
            case Client.Open route -> offer(tcp, reached, route);
        };
    }

    /** A connection to the wildcard address reaches the loopback address. */
    private static InetSocketAddress reached(InetSocketAddress remote) {
        InetAddress address = remote.getAddress();
        return address.isAnyLocalAddress() && address instanceof Inet4Address
                ? new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), remote.getPort())
                : address.isAnyLocalAddress()
                        ? new InetSocketAddress(InetAddress.ofLiteral("::1"), remote.getPort())
                        : remote;
    }

    private Plan offer(SocketChannel tcp, InetSocketAddress remote, Client.Open route) throws IOException {
        if (tcp.getLocalAddress() == null) {
            try {
                tcp.bind(null);
            } catch (IOException e) { // all ports are in use, which connect can use again and bind cannot
                return Plan.tcp(FallbackReason.PORTS);
            }
        }
        if (!(tcp.getLocalAddress() instanceof InetSocketAddress local)) {
            return Plan.tcp(FallbackReason.NOT_LOCAL);
        }
        Attempt made;
        try {
            made = Attempt.begin(
                    client,
                    route,
                    local,
                    remote,
                    random.nextLong(),
                    settings.offerTimeout().toNanos());
        } catch (IllegalStateException e) { // its process has just ended
            return Plan.tcp(FallbackReason.NOT_READY);
        }
        return made == null ? Plan.tcp(FallbackReason.MEMORY) : new Plan(made, FallbackReason.NOT_TAKEN);
    }

    /** The rings of a connection that was accepted, or null if its client offered none. */
    public @Nullable RingConnection accepted(SocketChannel tcp) throws IOException {
        return server.accepted(tcp);
    }

    /** A published listener. */
    public final class Published implements AutoCloseable {
        private final long number;
        private final @Nullable Listing listing;

        private Published(long number, @Nullable Listing listing) {
            this.number = number;
            this.listing = listing;
        }

        /** Clients see at once that it is closed; its memory is freed by another thread, once its importers agree. */
        @Override
        public void close() {
            server.remove(number);
            if (listing != null) {
                listing.markClosed();
                Thread.ofVirtual().name("urma-socket-close").start(listing::close);
            }
        }
    }

    /**
     * Publishes a listener, unless another one of this address has a name already, as with SO_REUSEPORT: then clients of this
     * one use TCP.
     *
     * @param onPending runs when a client waits for the application to accept
     */
    public Published publish(InetSocketAddress bound, Runnable onPending) {
        long number = server.add(onPending);
        if (settings.excludedPorts().contains(bound.getPort())) {
            return new Published(number, null);
        }
        try {
            var listing = new Listing(context, names.of(bound), number, channel.share());
            client.appeared(bound);
            return new Published(number, listing);
        } catch (UrmaException e) {
            LOG.log(System.Logger.Level.WARNING, () -> "connections to " + bound + " will be TCP: " + e.getMessage());
            return new Published(number, null);
        }
    }

    @Override
    public void close() {
        closed = true;
        receiver.interrupt();
        context.close();
        urma.close();
    }

    @Override
    public String toString() {
        return "sockets of " + context;
    }
}
