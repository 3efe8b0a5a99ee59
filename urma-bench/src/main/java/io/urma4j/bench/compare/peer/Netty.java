package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Netty over TCP: with NIO, with epoll, and with an epoll that never sleeps, also over Unix-domain sockets. */
public final class Netty extends BestOf {
    /** What its JVMs do. */
    static final String END = "io.urma4j.peers.NettyEnd";

    private final Set<Reach> reaches;

    private Netty(String name, Set<Reach> reaches, String... loops) {
        super(
                name,
                "netty",
                Stream.of(loops)
                        .map(loop -> new Variant(loop, new JvmPeer(END, options(loop))))
                        .toList());
        this.reaches = reaches;
    }

    /** Of its JVMs, for this kind of event loop. */
    static List<String> options(String loop) {
        return List.of(
                "-Durma.netty.loop=" + loop,
                "-Dio.netty.leakDetection.level=disabled",
                "--sun-misc-unsafe-memory-access=allow");
    }

    /** Over TCP, in whichever of the three ways is best. */
    public static Netty best() {
        return new Netty(Names.NETTY, Set.of(Reach.NETWORK), "NIO", "EPOLL", "BUSY");
    }

    /** Its epoll never sleeping. */
    public static Netty busy() {
        return new Netty(Names.NETTY, Set.of(Reach.NETWORK), "BUSY");
    }

    /** On one host, in whichever of its ways is best. */
    public static Netty bestSockets() {
        return new Netty(Names.NETTY_BEST, Set.of(Reach.SOCKETS, Reach.NETTY), "NIO", "EPOLL", "BUSY", "UNIX");
    }

    /** With the channels of the JDK. */
    public static Netty nioSockets() {
        return new Netty(Names.NETTY_NIO, Set.of(Reach.NETTY, Reach.FOREIGN), "NIO");
    }

    @Override
    public boolean can(Task task) {
        return reaches.contains(task.reach())
                && switch (task.work()) {
                    case SEND_LATENCY, SEND_RATE -> true;
                    case AT_RATE, CONNECT -> task.reach() == Reach.NETWORK;
                    case WRITE_SEEN, WRITE_RATE, READ, READ_RATE, FADD, CAS, WAKE -> false;
                };
    }
}
