package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import java.util.List;
import java.util.stream.Stream;

/** Netty over TCP: with NIO, with epoll, and with an epoll that never sleeps. */
public final class Netty extends BestOf {
    private Netty(String... loops) {
        super(
                Names.NETTY,
                "netty",
                Stream.of(loops)
                        .map(loop -> new Variant(
                                loop,
                                new JvmPeer(
                                        "io.urma4j.peers.NettyEnd",
                                        List.of(
                                                "-Durma.netty.loop=" + loop,
                                                "-Dio.netty.leakDetection.level=disabled",
                                                "--sun-misc-unsafe-memory-access=allow"))))
                        .toList());
    }

    /** In whichever of the three ways is best. */
    public static Netty best() {
        return new Netty("NIO", "EPOLL", "BUSY");
    }

    /** Its epoll never sleeping. */
    public static Netty busy() {
        return new Netty("BUSY");
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.NETWORK
                && switch (task.work()) {
                    case SEND_LATENCY, SEND_RATE, AT_RATE, CONNECT -> true;
                    case WRITE_SEEN, WRITE_RATE, READ, READ_RATE, FADD, CAS, WAKE -> false;
                };
    }
}
