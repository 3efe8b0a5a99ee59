package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import java.util.List;

/** gRPC, one blocking unary call after the other, bytes in and bytes out. */
public final class Grpc extends BestOf {
    /** With its Netty inside. */
    public Grpc() {
        super(
                Names.GRPC,
                "grpc",
                List.of(new Variant(
                        "blocking unary calls",
                        new JvmPeer("io.urma4j.peers.GrpcEnd", List.of("--sun-misc-unsafe-memory-access=allow")))));
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.NETWORK
                && (task.work() == Work.SEND_LATENCY || task.work() == Work.CONNECT)
                && task.bytes() <= 1 << 20;
    }
}
