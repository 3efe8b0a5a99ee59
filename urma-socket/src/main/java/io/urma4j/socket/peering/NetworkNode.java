package io.urma4j.socket.peering;

import io.urma4j.MessageChannel;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;

/** What a process needs for connections to other hosts: the device, and sockets that answer and ask for listeners. */
final class NetworkNode implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(NetworkNode.class.getName());

    private final Networks networks;
    private final DeviceNode node;
    private final NetworkMedium medium;
    private final HelloServer hello;

    NetworkNode(
            UrmaContext context, MessageChannel channel, SocketSettings settings, Budget budget, SelectorProvider jdk)
            throws IOException {
        this.networks = settings.networks();
        this.hello = new HelloServer(jdk, networks::contain, context.peerId(), channel.share());
        this.medium = new NetworkMedium(context, new HelloClient(jdk), settings, budget);
        this.node = new DeviceNode(context, channel, medium, settings.offerTimeout());
    }

    /** Whether connections with this address go by the network. */
    boolean reaches(InetAddress address) {
        return networks.contain(address);
    }

    Client client() {
        return node.client();
    }

    Server server() {
        return node.server();
    }

    /** Tells hosts of the networks of a listener; the result ends that. */
    Answers publish(InetSocketAddress bound, Runnable onPending) {
        if (!bound.getAddress().isAnyLocalAddress() && !reaches(bound.getAddress())) {
            return () -> {};
        }
        long number = server().add(onPending);
        try {
            Answers answers = hello.listen(bound, number);
            client().appeared(bound);
            return () -> {
                server().remove(number);
                answers.close();
            };
        } catch (IOException e) {
            server().remove(number);
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "connections of other hosts to " + bound + " will be TCP: the UDP port: " + e.getMessage());
            return () -> {};
        }
    }

    @Override
    public void close() {
        hello.close();
        try {
            node.close();
        } catch (UrmaException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing", e);
        }
        medium.close();
    }

    @Override
    public String toString() {
        return node + " for " + networks;
    }
}
