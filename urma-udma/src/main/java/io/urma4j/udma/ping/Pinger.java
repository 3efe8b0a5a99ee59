package io.urma4j.udma.ping;

import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.udma.capture.CaptureSettings;
import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.control.EchoClient;
import io.urma4j.udma.control.EchoClient.Reply;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.udp.Ecn;
import io.urma4j.udma.udp.PortException;
import io.urma4j.udma.udp.PortOptions;
import io.urma4j.udma.udp.UdpPort;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Packet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Sends echoes to a port, and takes the answers. It has a UDP port of its own, never that of RoCE, and no device: so it
 * cannot answer itself. For one thread.
 */
public final class Pinger implements AutoCloseable {
    /** The port of RoCE, which a device takes when it is free. */
    public static final int DEFAULT_PORT = IpHeaders.ROCE_PORT;

    /** Most bytes that an echo can carry. */
    public static final int MAX_BODY_BYTES = EchoClient.MAX_BODY_BYTES;

    private static final long LONGEST_WAIT_NANOS = 50_000_000; // the kernel does not hear of interrupts

    private final UdpPort port;
    private final Route route;
    private final EchoClient echoes;
    private final @Nullable PcapWriter capture;
    private final Queue<Reply> replies = new ArrayDeque<>();
    private int psn;

    private Pinger(UdpPort port, Route route, EchoClient echoes, @Nullable PcapWriter capture) {
        this.port = port;
        this.route = route;
        this.echoes = echoes;
        this.capture = capture;
    }

    /**
     * Opens a port; nothing is sent yet.
     *
     * @param target whose port is asked
     * @param udpPort of the target, from 1 to 65535
     * @param source one of our own addresses; null for that from which the kernel reaches the target
     * @param bodyBytes that each echo carries, from 0 to {@link #MAX_BODY_BYTES}
     * @param options of which the settings of the capture count
     * @throws UrmaException EINVAL for an address that cannot be reached from the other, FAIL when no port can be had
     */
    public static Pinger open(
            InetAddress target, int udpPort, @Nullable InetAddress source, int bodyBytes, UrmaOptions options) {
        PcapWriter capture = capture(options);
        try {
            PortOptions wanted = PortOptions.of(source == null ? sourceTowards(target) : source)
                    .withPort(PortOptions.ANY_PORT)
                    .withEcn(Ecn.OFF) // echoes come one by one
                    .withCapture(capture);
            UdpPort port = UdpPort.open(wanted);
            return open(port, Eid.of(target), udpPort, bodyBytes, capture);
        } catch (PortException e) {
            throw new UrmaException(UrmaStatus.FAIL, "ping", String.valueOf(e.getMessage()), e);
        }
    }

    private static Pinger open(UdpPort port, Eid target, int udpPort, int bodyBytes, @Nullable PcapWriter capture) {
        try {
            Route route = port.route(target.high(), target.low(), udpPort);
            return new Pinger(port, route, new EchoClient(port.port(), bodyBytes, new SecureRandom()), capture);
        } catch (PortException e) {
            port.close();
            throw new UrmaException(UrmaStatus.EINVAL, "ping", String.valueOf(e.getMessage()), e);
        }
    }

    private static @Nullable PcapWriter capture(UrmaOptions options) {
        Optional<CaptureSettings> settings = CaptureSettings.of(options::setting);
        try {
            return settings.isEmpty() ? null : settings.get().open();
        } catch (IOException e) {
            throw new UrmaException(UrmaStatus.FAIL, "setting urma.udma.capture", "cannot be written: " + e, e);
        }
    }

    /** The ICRC covers our address, so it must be known before anything is sent; connecting UDP sends nothing. */
    private static InetAddress sourceTowards(InetAddress target) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(target, DEFAULT_PORT));
            return socket.getLocalAddress();
        } catch (SocketException | IllegalArgumentException | UncheckedIOException e) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, "ping", target.getHostAddress() + " cannot be reached from here", e);
        }
    }

    /** Our own address. */
    public InetAddress source() {
        return port.address();
    }

    /** Sends an echo. One that finds no room is lost, as in a network. */
    public void send(int sequence) {
        send(echoes.ask(sequence, System.nanoTime()));
    }

    private void send(ByteBuffer datagram) {
        Packet packet = port.begin(route);
        if (packet != null) {
            Management.put(packet, psn++, datagram);
            port.end(datagram.remaining());
            port.flush();
        }
    }

    /** No answer is wanted any more; false when it had come. */
    public boolean giveUp(int sequence) {
        return echoes.giveUp(sequence);
    }

    /** How many echoes have not been given up, and their answers not been returned by {@link #await}; 0 if none is left. */
    public int waiting() {
        return echoes.waiting() + replies.size();
    }

    /** Why the last echo could not leave, for example that there is no route; empty when all could. */
    public String trouble() {
        return port.trouble();
    }

    /**
     * Waits for the next answer.
     *
     * @param deadlineNanos of {@link System#nanoTime}
     * @return null when there was none by then
     */
    public Reply.@Nullable Answer await(long deadlineNanos) throws InterruptedException {
        while (true) {
            while (port.receive((packet, _) -> take(packet)) > 0) {
                // all that is there
            }
            Reply reply = replies.poll();
            switch (reply) {
                case Reply.Answer answer -> {
                    return answer;
                }
                case Reply.Again again -> send(again.datagram());
                case null -> {
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                    long left = deadlineNanos - System.nanoTime();
                    if (left <= 0) {
                        return null;
                    }
                    port.await(Math.min(left, LONGEST_WAIT_NANOS));
                }
            }
        }
    }

    private void take(Packet packet) {
        if (Management.isOne(packet)) {
            Reply reply = echoes.received(Management.datagram(packet), System.nanoTime());
            if (reply != null) {
                replies.add(reply);
            }
        }
    }

    @Override
    public void close() {
        port.close();
        try {
            if (capture != null) {
                capture.close();
            }
        } catch (IOException e) {
            throw new UrmaException(UrmaStatus.FAIL, "setting urma.udma.capture", "is incomplete: " + e, e);
        }
    }

    @Override
    public String toString() {
        return "ping on the " + route;
    }
}
