package io.urma4j.bench.compare;

import io.urma4j.bench.compare.peer.Aeron;
import io.urma4j.bench.compare.peer.Grpc;
import io.urma4j.bench.compare.peer.Iperf;
import io.urma4j.bench.compare.peer.Libfabric;
import io.urma4j.bench.compare.peer.MapRing;
import io.urma4j.bench.compare.peer.Netty;
import io.urma4j.bench.compare.peer.OpenMpi;
import io.urma4j.bench.compare.peer.RawMemory;
import io.urma4j.bench.compare.peer.RawNetwork;
import io.urma4j.bench.compare.peer.Sockperf;
import io.urma4j.bench.compare.peer.Ucx;
import io.urma4j.bench.compare.peer.UrmaPeer;
import java.util.List;

/** Everybody, urma4j first. To add one, write its class and a line here. */
final class Peers {
    private Peers() {}

    static List<Peer> all() {
        return List.of(
                UrmaPeer.best(),
                UrmaPeer.queues(),
                RawMemory.awake(),
                RawMemory.asleep(),
                new RawNetwork(),
                Ucx.memory(),
                Ucx.sleeping(),
                Ucx.tcp(),
                OpenMpi.ownMemory(),
                OpenMpi.ucx(),
                Libfabric.memory(),
                Libfabric.udp(),
                Libfabric.tcp(),
                new Sockperf(),
                new Iperf(),
                Aeron.best(),
                Netty.best(),
                new Grpc(),
                new MapRing());
    }

    /**
     * For quick runs and for curves: without what resembles another or cannot be cut short, and of what can be set up in several
     * ways that which has been best on two CPUs.
     */
    static List<Peer> few() {
        return List.of(
                UrmaPeer.best(),
                UrmaPeer.queues(),
                RawMemory.awake(),
                RawMemory.asleep(),
                new RawNetwork(),
                Ucx.memory(),
                Ucx.sleeping(),
                Ucx.tcp(),
                OpenMpi.ownMemory(),
                Libfabric.udp(),
                Libfabric.tcp(),
                Aeron.invoked(),
                Netty.busy(),
                new MapRing());
    }
}
