package io.urma4j.socket.peering;

import io.urma4j.ContextOptions;
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
import java.nio.channels.spi.SelectorProvider;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a process needs for connections over rings: {@code shm0} for its host, and {@code udma0} where the settings name networks. Safe
 * for any thread.
 */
public final class SocketNode implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SocketNode.class.getName());
    private static final String DEVICE = "shm0";
    private static final Duration IMPORT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

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
    private final DeviceNode local;
    private final @Nullable NetworkNode network;
    private final SecureRandom random = new SecureRandom();

    /**
     * Opens the devices.
     *
     * @param connections what other processes see of those of this one
     * @param jdk opens sockets that ask and answer other hosts
     * @throws UrmaException if {@code shm0} cannot be opened
     * @throws IOException if the network namespace is unknown
     */
    public SocketNode(
            SocketSettings settings, UrmaOptions options, Supplier<List<Resource>> connections, SelectorProvider jdk)
            throws IOException {
        this.settings = settings;
        this.names = ListenerName.ofProcess();
        this.urma = Urma.open(options);
        try {
            Budget budget = new Budget(settings.memoryBytes());
            this.context = openContext(DEVICE);
            this.channel = openChannel(context);
            ApiAccess.api().adopt(context, new SocketInspection(connections));
            this.network = settings.networks().isEmpty() ? null : openNetwork(budget, jdk);
            this.local = new DeviceNode(
                    context, channel, new SharedMedium(context, names, settings, budget), settings.offerTimeout());
        } catch (RuntimeException e) {
            urma.close();
            throw e;
        }
    }

    private UrmaContext openContext(String device) {
        return urma.device(device).openContext(0, new ContextOptions(CLOSE_TIMEOUT, IMPORT_TIMEOUT));
    }

    private static MessageChannel openChannel(UrmaContext context) {
        return context.openMessageChannel(
                MessageChannel.Options.builder().sendTimeout(IMPORT_TIMEOUT).build());
    }

    /** Null if the device cannot be opened: connections of this host need it not. */
    private @Nullable NetworkNode openNetwork(Budget budget, SelectorProvider jdk) {
        try {
            return networkNode(openContext(NetworkMedium.DEVICE), budget, jdk);
        } catch (UrmaException | IOException e) {
            LOG.log(System.Logger.Level.WARNING, () -> "connections to other hosts are TCP: " + e.getMessage());
            return null;
        }
    }

    /** Owns the context, and closes it where it fails. */
    private NetworkNode networkNode(UrmaContext made, Budget budget, SelectorProvider jdk) throws IOException {
        try {
            return new NetworkNode(made, openChannel(made), settings, budget, jdk);
        } catch (RuntimeException | IOException e) {
            made.close();
            throw e;
        }
    }

    /** Offers rings for a connection that does not exist yet, and binds its port for that. It waits at most so long. */
    public Plan plan(SocketChannel tcp, InetSocketAddress remote, long timeoutNanos) throws IOException {
        if (settings.excludedPorts().contains(remote.getPort())) {
            return Plan.tcp(FallbackReason.SETTING);
        }
        InetSocketAddress reached = reached(remote);
        Client client = clientFor(reached.getAddress());
        if (client == null) {
            return Plan.tcp(FallbackReason.NOT_LOCAL);
        }
        return switch (client.route(reached, timeoutNanos)) {
            case Client.Closed none -> Plan.tcp(none.reason());
            case Client.Open route -> offer(tcp, reached, client, route);
        };
    }

    /** What connects to this address, or null if only TCP does. */
    private @Nullable Client clientFor(InetAddress address) {
        if (network != null && isOfNetwork(network, address)) {
            return network.client();
        }
        return addresses.contain(address) ? local.client() : null;
    }

    /** An address of this host is not, unless it is a loopback address of the networks: so two devices of one host can be tried. */
    private boolean isOfNetwork(NetworkNode reaching, InetAddress address) {
        return reaching.reaches(address) && (address.isLoopbackAddress() || !addresses.contain(address));
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

    private Plan offer(SocketChannel tcp, InetSocketAddress remote, Client client, Client.Open route)
            throws IOException {
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
        try {
            OwnRing ring = route.host().pairing().open();
            if (ring == null) {
                return Plan.tcp(FallbackReason.MEMORY);
            }
            long waitNanos = settings.offerTimeout().toNanos();
            Attempt made = Attempt.begin(client, route, ring, local, remote, random.nextLong(), waitNanos);
            return made == null ? Plan.tcp(FallbackReason.PORTS) : new Plan(made, FallbackReason.NOT_TAKEN);
        } catch (IllegalStateException e) { // its process has just ended
            return Plan.tcp(FallbackReason.NOT_READY);
        }
    }

    /** The rings of a connection that was accepted, or null if its client offered none. */
    public @Nullable RingConnection accepted(SocketChannel tcp) throws IOException {
        if (!(tcp.getRemoteAddress() instanceof InetSocketAddress client)) {
            return null;
        }
        if (network != null && isOfNetwork(network, client.getAddress())) {
            RingConnection made = network.server().accepted(tcp);
            if (made != null) {
                return made;
            }
        }
        return addresses.contain(client.getAddress()) ? local.server().accepted(tcp) : null;
    }

    /** A published listener. */
    public final class Published implements AutoCloseable {
        private final long number;
        private final @Nullable Listing listing;
        private final @Nullable Answers answers; // to other hosts

        private Published(long number, @Nullable Listing listing, @Nullable Answers answers) {
            this.number = number;
            this.listing = listing;
            this.answers = answers;
        }

        /** Clients see at once that it is closed; its memory is freed by another thread, once its importers agree. */
        @Override
        public void close() {
            local.server().remove(number);
            if (listing != null) {
                listing.markClosed();
                Thread.ofVirtual().name("urma-socket-close").start(listing::close);
            }
            if (answers != null) {
                answers.close();
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
        long number = local.server().add(onPending);
        if (settings.excludedPorts().contains(bound.getPort())) {
            return new Published(number, null, null);
        }
        Answers answers = network == null ? null : network.publish(bound, onPending);
        try {
            var listing = new Listing(context, names.of(bound), number, channel.share());
            local.client().appeared(bound);
            return new Published(number, listing, answers);
        } catch (UrmaException e) {
            LOG.log(System.Logger.Level.WARNING, () -> "connections to " + bound + " will be TCP: " + e.getMessage());
            return new Published(number, null, answers);
        }
    }

    @Override
    public void close() {
        if (network != null) {
            network.close();
        }
        local.close();
        urma.close();
    }

    @Override
    public String toString() {
        return "sockets of " + context;
    }
}
