package io.urma4j.udma.control;

import io.urma4j.Eid;
import io.urma4j.spi.control.ControlCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Ports in a network that loses, doubles and delays, under a clock of its own. */
final class VirtualNet {
    private static final long DELAY_NANOS = 100_000;
    private static final long SPREAD_NANOS = 50_000_000;

    private final Random random;
    private final double loss;
    private final double doubling;
    private final Map<PortAddress, ControlPort> ports = new HashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final PriorityQueue<Flying> flying = new PriorityQueue<>();
    private long made;
    private long now = 1_000_000_000_000L;

    /** Longest answer to a datagram that was forged, for the test of amplification. */
    final List<Integer> sentBytes = new ArrayList<>();

    /** Whatever was sent, for who wants to send it again. */
    final List<Heard> heard = new ArrayList<>();

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Heard(Eid source, PortAddress to, byte[] datagram) {}

    private record Flying(long atNanos, long number, PortAddress to, Eid source, ByteBuffer datagram)
            implements Comparable<Flying> {
        @Override
        public int compareTo(Flying other) {
            return atNanos != other.atNanos ? Long.compare(atNanos, other.atNanos) : Long.compare(number, other.number);
        }
    }

    VirtualNet(long seed, double loss, double doubling) {
        this.random = new Random(seed);
        this.loss = loss;
        this.doubling = doubling;
    }

    static PortAddress address(int host) {
        return new PortAddress(Eid.ofIpv4(0x0A00_0000 + host), 4791);
    }

    /** A context at a port of its own. */
    Node node(int host, long incarnation) {
        return node(host, incarnation, ControlCodec.MAJOR);
    }

    /** One that speaks that version of the protocol. */
    Node node(int host, long incarnation, int major) {
        return node(
                host,
                incarnation,
                major,
                ControlPlane.hello(address(host), host, incarnation, "pid 1", 4096)
                        .features());
    }

    /** One that knows these features. */
    Node nodeWithFeatures(int host, long incarnation, long features) {
        return node(host, incarnation, ControlCodec.MAJOR, features);
    }

    private Node node(int host, long incarnation, int major, long features) {
        PortAddress at = address(host);
        byte[] secret = new byte[32];
        random.nextBytes(secret);
        ControlPort port = new ControlPort(at, (to, bytes) -> send(at.eid(), to, bytes), secret);
        ports.put(at, port);
        Node node = new Node(this, port, incarnation, host, major, features, new Random(random.nextLong()));
        nodes.add(node);
        return node;
    }

    void send(Eid source, PortAddress to, ByteBuffer datagram) {
        byte[] bytes = new byte[datagram.remaining()];
        datagram.get(bytes);
        sentBytes.add(bytes.length);
        heard.add(new Heard(source, to, bytes));
        int copies = random.nextDouble() < doubling ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            if (random.nextDouble() >= loss) {
                long delay = DELAY_NANOS + (loss > 0 ? random.nextLong(SPREAD_NANOS) : 0);
                flying.add(new Flying(now + delay, made++, to, source, ByteBuffer.wrap(bytes)));
            }
        }
    }

    long now() {
        return now;
    }

    /** The clock leaps: nobody could do anything meanwhile. */
    void leap(long nanos) {
        now += nanos;
    }

    /** Somebody sends what he heard, in the name of who said it. */
    void replay(Heard again) {
        flying.add(new Flying(now, made++, again.to, again.source, ByteBuffer.wrap(again.datagram)));
    }

    /** A node is gone without a word: its port takes nothing any more. */
    void cut(Node node) {
        nodes.remove(node);
        ports.remove(node.port().self());
    }

    /** The line to a node that was cut works again. */
    void restore(Node node) {
        nodes.add(node);
        ports.put(node.port().self(), node.port());
    }

    /** Lets time pass until it holds; false when it does not within that time. */
    boolean runUntil(BooleanSupplier done, long withinNanos) {
        long end = now + withinNanos;
        while (!done.getAsBoolean()) {
            long next = end;
            for (Node node : nodes) {
                long delay = node.plane().run(now);
                next = Math.min(next, delay == Long.MAX_VALUE ? end : now + delay);
            }
            Flying first = flying.peek();
            next = first == null ? next : Math.min(next, first.atNanos);
            if (next >= end) {
                now = end;
                return done.getAsBoolean();
            }
            now = Math.max(now, next);
            deliver();
        }
        return true;
    }

    private void deliver() {
        Flying first = flying.peek();
        while (first != null && first.atNanos <= now) {
            flying.remove();
            ControlPort port = ports.get(first.to);
            if (port != null) {
                port.received(first.source, first.datagram.duplicate(), now);
            }
            first = flying.peek();
        }
    }
}
