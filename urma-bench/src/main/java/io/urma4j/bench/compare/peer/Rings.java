package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import io.urma4j.bench.compare.end.SocketEnd;
import java.util.ArrayList;
import java.util.List;

/**
 * We, below programs that know sockets alone: the agent is all that differs from those on the JDK's channels. Where two waits
 * of a round trip may spin, it does so in each of several ways, and the best one plays.
 */
public final class Rings extends BestOf {
    private static final String AGENT = "-javaagent:" + System.getProperty("java.class.path");

    private final String title;
    private final Reach reach;

    private Rings(String title, Reach reach, String project, List<Variant> variants) {
        super(Names.URMA, project, variants);
        this.title = title;
        this.reach = reach;
    }

    /** Blocking channels. */
    public static Rings ofChannels() {
        return new Rings(
                "urma4j, channels over rings", Reach.SOCKETS, "", spinning(SocketEnd.class.getName(), List.of()));
    }

    /** Netty with NIO. */
    public static Rings ofNetty() {
        return new Rings("urma4j, Netty over rings", Reach.NETTY, "netty", spinning(Netty.END, Netty.options("NIO")));
    }

    /** The same, but the home's process has no agent, so the connection is TCP. */
    public static Rings besideForeignNetty() {
        List<String> leader = new ArrayList<>(Netty.options("NIO"));
        leader.add(AGENT);
        Variant variant = new Variant("TCP by our channels", new JvmPeer(Netty.END, leader, Netty.options("NIO")));
        return new Rings("urma4j, Netty beside a foreign peer", Reach.FOREIGN, "netty", List.of(variant));
    }

    /** Blocking channels, and the leader's process has no agent, so the connection is TCP. */
    public static Rings besideForeignClient() {
        Variant variant =
                new Variant("TCP by our channels", new JvmPeer(SocketEnd.class.getName(), List.of(), List.of(AGENT)));
        return new Rings("urma4j, channels beside a foreign client", Reach.FOREIGN_CLIENT, "", List.of(variant));
    }

    /** gRPC with NIO. */
    public static Rings ofGrpc() {
        return new Rings("urma4j, gRPC over rings", Reach.GRPC, "grpc", spinning(Grpc.END, Grpc.options("NIO")));
    }

    /** Without spinning, and for two lengths. */
    private static List<Variant> spinning(String participant, List<String> options) {
        List<Variant> variants = new ArrayList<>();
        for (int micros : new int[] {0, 20, 200}) {
            List<String> all = new ArrayList<>(options);
            all.add(AGENT);
            all.add("-Durma.socket.mode=require"); // a connection over TCP would be another's figure
            all.add("-Durma.socket.spin=" + micros);
            variants.add(new Variant("spin " + micros + " µs", new JvmPeer(participant, all)));
        }
        return variants;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == reach
                && switch (task.work()) {
                    case SEND_LATENCY, SEND_RATE -> reach != Reach.FOREIGN_CLIENT;
                    case WAKE -> reach == Reach.SOCKETS;
                    case CONNECT -> reach == Reach.SOCKETS || reach == Reach.FOREIGN_CLIENT;
                    case WRITE_SEEN, WRITE_RATE, READ, READ_RATE, FADD, CAS, AT_RATE -> false;
                };
    }

    /** An end is asleep where the other one wakes it. */
    @Override
    boolean isOfUse(Variant variant, Task task) {
        return task.work() != Work.WAKE || variant.name().startsWith("spin 0 ");
    }
}
