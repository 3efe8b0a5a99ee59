package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import java.util.List;
import java.util.stream.Stream;

/** gRPC: unary calls, bytes in and bytes out, and streams. */
public final class Grpc extends BestOf {
    /** What its JVMs do. */
    static final String END = "io.urma4j.peers.GrpcEnd";

    private static final int MOST_BYTES = 1 << 20;

    private final Reach reach;

    private Grpc(String name, Reach reach, List<Variant> variants) {
        super(name, "grpc", variants);
        this.reach = reach;
    }

    private static Variant variant(String name, String loop) {
        return new Variant(name, new JvmPeer(END, options(loop)));
    }

    /** Of its JVMs, for this kind of event loop. */
    static List<String> options(String loop) {
        return List.of(
                "-Durma.grpc.loop=" + loop,
                "-Dio.grpc.netty.shaded.io.netty.leakDetection.level=disabled",
                "--sun-misc-unsafe-memory-access=allow");
    }

    /** As it sets itself up, one blocking unary call after the other. */
    public static Grpc blocking() {
        return new Grpc(Names.GRPC, Reach.NETWORK, List.of(variant("blocking unary calls", "DEFAULT")));
    }

    /** With one event loop for each end, in whichever of its ways is best. */
    public static Grpc best() {
        return new Grpc(
                Names.GRPC_BEST,
                Reach.GRPC,
                Stream.of("NIO", "EPOLL", "BUSY", "UNIX")
                        .map(loop -> variant(loop, loop))
                        .toList());
    }

    /** Both ends in one process, without any socket: what HTTP/2 itself takes. */
    public static Grpc local() {
        return new Grpc(Names.GRPC_LOCAL, Reach.GRPC, List.of(variant("one process", "LOCAL")));
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == reach
                && task.bytes() <= MOST_BYTES
                && switch (task.work()) {
                    case SEND_LATENCY -> true;
                    case SEND_RATE -> reach == Reach.GRPC;
                    case CONNECT -> reach == Reach.NETWORK;
                    case WRITE_SEEN, WRITE_RATE, READ, READ_RATE, FADD, CAS, WAKE, AT_RATE -> false;
                };
    }
}
