package io.urma4j.udma.control;

import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.udma.control.PeerMessage.BindQueue;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.QueueBound;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * A context that answers: odd grants it takes back, even ones it refuses, and counts how often it did each. It grants each
 * segment, and binds each queue.
 */
final class Node implements PeerEvents {
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private final VirtualNet net;
    private final ControlPort port;
    private final ControlPlane plane;
    private final long incarnation;
    private int halves;

    final Map<Long, Integer> served = new HashMap<>();
    final List<Peer> greeted = new ArrayList<>();
    boolean hasNoRoom;
    final List<String> lost = new ArrayList<>();

    Node(VirtualNet net, ControlPort port, long incarnation, int uasid, int major, long features, Random random) {
        this.net = net;
        this.port = port;
        this.incarnation = incarnation;
        Hello own = ControlPlane.hello(port.self(), uasid, incarnation, "pid 1", 4096);
        Hello hello = new Hello(
                major,
                own.minor(),
                features,
                own.required(),
                own.eid(),
                uasid,
                incarnation,
                own.wanted(),
                own.address());
        this.plane = new ControlPlane(port, hello, this, random, net.now());
    }

    ControlPort port() {
        return port;
    }

    ControlPlane plane() {
        return plane;
    }

    long now() {
        return net.now();
    }

    CompletableFuture<Peer> connect(Node other) {
        return connect(other, other.incarnation);
    }

    CompletableFuture<Peer> connect(Node other, long wanted) {
        return plane.connect(other.port.self(), wanted, net.now() + PATIENCE_NANOS, net.now());
    }

    /** Connects, then asks to take back a grant. */
    CompletableFuture<PeerMessage> unimport(Node other, long grant) {
        return connect(other)
                .thenCompose(peer ->
                        plane.ask(peer, _ -> new Core(new Unimport(grant)), net.now() + PATIENCE_NANOS, net.now()));
    }

    @Override
    public ConnectionEnd newHalf() {
        return new ConnectionEnd(++halves, 7, 1024);
    }

    @Override
    public void greeted(Peer peer) {
        if (hasNoRoom) {
            throw new IllegalArgumentException("no end can be made");
        }
        greeted.add(peer);
    }

    @Override
    public void requested(Peer from, long number, PeerMessage request) {
        if (request instanceof Core(Unimport(long grant))) {
            served.merge(grant, 1, Integer::sum);
            plane.answer(
                    from,
                    number,
                    new Core((grant & 1) == 1 ? new Done(number) : new Refused(number, UrmaStatus.ENOPERM, "even")));
        } else if (request instanceof BindQueue) {
            plane.answer(from, number, new QueueBound(0x12_3456, 1024));
        } else if (request instanceof Core(ImportSegment asked)) {
            plane.answer(from, number, new Core(new SegmentGranted(number, 0x6543, asked.access(), 0, 4096)));
        }
    }

    @Override
    public boolean holds(Peer peer) {
        return true;
    }

    @Override
    public void lost(Peer peer, String why) {
        lost.add(why);
    }
}
