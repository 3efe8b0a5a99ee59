package io.urma4j.bench.compare;

import io.urma4j.bench.compare.peer.Aeron;
import io.urma4j.bench.compare.peer.Grpc;
import io.urma4j.bench.compare.peer.Iperf;
import io.urma4j.bench.compare.peer.JdkSockets;
import io.urma4j.bench.compare.peer.Libfabric;
import io.urma4j.bench.compare.peer.MapRing;
import io.urma4j.bench.compare.peer.Netty;
import io.urma4j.bench.compare.peer.OpenMpi;
import io.urma4j.bench.compare.peer.RawMemory;
import io.urma4j.bench.compare.peer.RawNetwork;
import io.urma4j.bench.compare.peer.Rings;
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
                Rings.ofChannels(),
                Rings.ofNetty(),
                Rings.besideForeignNetty(),
                Rings.besideForeignClient(),
                Rings.ofGrpc(),
                UrmaPeer.pipe(),
                RawMemory.awake(),
                RawMemory.asleep(),
                RawNetwork.bare(),
                RawNetwork.steps(),
                Ucx.memory(),
                Ucx.sleeping(),
                Ucx.tcp(),
                OpenMpi.ownMemory(),
                OpenMpi.ucx(),
                Libfabric.memory(),
                Libfabric.udp(),
                Libfabric.tcp(),
                Sockperf.udp(),
                Sockperf.tcp(),
                new Iperf(),
                Aeron.best(),
                Netty.best(),
                JdkSockets.tcp(),
                JdkSockets.unix(),
                Netty.bestSockets(),
                Netty.nioSockets(),
                Grpc.blocking(),
                Grpc.best(),
                Grpc.local(),
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
                Rings.ofChannels(),
                Rings.ofNetty(),
                Rings.besideForeignNetty(),
                Rings.besideForeignClient(),
                Rings.ofGrpc(),
                UrmaPeer.pipe(),
                RawMemory.awake(),
                RawMemory.asleep(),
                RawNetwork.bare(),
                RawNetwork.steps(),
                Ucx.memory(),
                Ucx.sleeping(),
                Ucx.tcp(),
                OpenMpi.ownMemory(),
                Libfabric.udp(),
                Libfabric.tcp(),
                Aeron.invoked(),
                Netty.busy(),
                Sockperf.tcp(),
                JdkSockets.tcp(),
                JdkSockets.unix(),
                Netty.bestSockets(),
                Netty.nioSockets(),
                Grpc.best(),
                Grpc.local(),
                new MapRing());
    }
}
