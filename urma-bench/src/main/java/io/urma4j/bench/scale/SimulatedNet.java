package io.urma4j.bench.scale;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.command.SendQueueConfig.Kind;
import io.urma4j.udma.ring.CqRing;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * One host that writes eight bytes to each of many in turn, in a network that loses nothing; and the CPU time that its card
 * and the others' need for it. For one thread.
 */
final class SimulatedNet {
    /** WRITEs that are posted together. */
    static final int BATCH = 64;

    private static final int DEPTH = 2 * BATCH;
    private static final int STRIDE = SendWqe.strideBytes(1, 0);
    private static final long TRIP_NANOS = 10_000;
    private static final int MOST_TRIPS = 1_000;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final ArrayDeque<Packet> pool = new ArrayDeque<>();
    private final SimulatedHost hub = new SimulatedHost(1, pool);
    private final List<SimulatedHost> peers = new ArrayList<>();
    private final List<Way> there = new ArrayList<>();
    private final List<Way> back = new ArrayList<>();
    private int[] targets = new int[0];

    private final NativeMemory cqRing = NativeMemory.allocate(CqRing.bytes(DEPTH));
    private final NativeMemory ring = NativeMemory.allocate(WqRing.bytes(DEPTH, STRIDE));
    private final int queue;
    private long posted;
    private long ended;
    private int next;
    private long nowNanos = 1_000_000_000L;
    private long hubNanos;
    private long peerNanos;

    SimulatedNet() {
        int cq = hub.card().createCq(cqRing, DEPTH, 1, 0);
        queue = hub.card()
                .createSendQueue(SendQueueConfig.builder(Kind.RM, ring, DEPTH, STRIDE, cq)
                        .build());
    }

    /** Creates {@code count} peers, without connections. */
    void addPeers(int count) {
        for (int i = 0; i < count; i++) {
            SimulatedHost peer = new SimulatedHost(2 + i, pool);
            peers.add(peer);
        }
    }

    /** Connects each peer with the hub, from its own side. */
    void connectPeers() {
        for (SimulatedHost peer : peers) {
            Way way = Way.between(peer, hub);
            back.add(way);
            peer.connect(hub, way, nowNanos);
        }
    }

    /** Connects the hub with each peer, from its own side. */
    void connectHub() {
        targets = new int[peers.size()];
        for (int i = 0; i < targets.length; i++) {
            Way way = Way.between(hub, peers.get(i));
            there.add(way);
            targets[i] = hub.card().createMemoryTarget(hub.connect(peers.get(i), way, nowNanos));
        }
    }

    /** A batch of WRITEs, each to the next peer, until all have their records. */
    void batch() {
        long begin = threads.getCurrentThreadCpuTime();
        long goal = ended + BATCH;
        for (int i = 0; i < BATCH; i++) {
            post();
        }
        hub.card().doorbell(queue);
        hub.card().step(nowNanos);
        for (int trip = 0; ended < goal; trip++) {
            if (trip == MOST_TRIPS) {
                throw new IllegalStateException(goal - ended + " WRITEs have no record");
            }
            long between = threads.getCurrentThreadCpuTime();
            hubNanos += between - begin;
            nowNanos += TRIP_NANOS;
            List<SimulatedHost> reached = deliver();
            for (SimulatedHost peer : reached) {
                peer.card().step(nowNanos);
            }
            begin = threads.getCurrentThreadCpuTime();
            peerNanos += begin - between;
            nowNanos += TRIP_NANOS;
            for (SimulatedHost peer : reached) {
                takeBack(peer);
            }
            hub.card().step(nowNanos);
            takeRecords();
        }
        hubNanos += threads.getCurrentThreadCpuTime() - begin;
    }

    private void post() {
        long at = WqRing.at(posted, DEPTH, STRIDE);
        SendWqe.put(ring, at, WorkOpcode.WRITE, WorkOpcode.SIGNALLED, 1, targets[next], Long.BYTES);
        SendWqe.remote(ring, at, peers.get(next).key(), SimulatedHost.VA);
        SendWqe.range(ring, at, 0, hub.key(), Long.BYTES, 0);
        WqRing.produced(ring, ++posted);
        next = next + 1 < targets.length ? next + 1 : 0;
    }

    private List<SimulatedHost> deliver() {
        List<SimulatedHost> reached = new ArrayList<>();
        while (hub.leaving() > 0) {
            Way way = hub.nextWay();
            Packet packet = hub.nextPacket();
            SimulatedHost peer = way.to();
            peer.receive(packet, way, back.get(peer.number() - 2), nowNanos);
            pool.add(packet);
            if (reached.isEmpty() || reached.getLast() != peer) {
                reached.add(peer);
            }
        }
        return reached;
    }

    private void takeBack(SimulatedHost peer) {
        while (peer.leaving() > 0) {
            Way way = peer.nextWay();
            Packet packet = peer.nextPacket();
            hub.receive(packet, way, there.get(peer.number() - 2), nowNanos);
            pool.add(packet);
        }
    }

    private void takeRecords() {
        int word = Cqe.word(cqRing, CqRing.at(ended, DEPTH));
        while (Cqe.owner(word) == CqRing.owner(ended, DEPTH)) {
            if (Cqe.status(word) != WorkStatus.SUCCESS) {
                throw new IllegalStateException("a WRITE ended with status " + Cqe.status(word));
            }
            CqRing.consumed(cqRing, ++ended);
            word = Cqe.word(cqRing, CqRing.at(ended, DEPTH));
        }
    }

    /** Steps of the hub that find nothing to do. */
    void idleSteps(int times) {
        for (int i = 0; i < times; i++) {
            hub.card().step(nowNanos);
        }
    }

    void forgetTimes() {
        hubNanos = 0;
        peerNanos = 0;
    }

    /** CPU time of the hub since the last reset. */
    long hubNanos() {
        return hubNanos;
    }

    /** The same of all peers together. */
    long peerNanos() {
        return peerNanos;
    }

    /** What the hub writes to everybody. */
    void value(long value) {
        hub.memory().set(ValueLayout.JAVA_LONG, 0, value);
    }

    /** What lies in a peer's memory. */
    long valueAt(int peer) {
        return peers.get(peer).memory().get(ValueLayout.JAVA_LONG, 0);
    }
}
