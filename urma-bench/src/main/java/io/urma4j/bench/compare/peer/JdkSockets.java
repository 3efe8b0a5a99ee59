package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.end.SocketEnd;
import java.util.List;
import java.util.Set;

/** Blocking channels of the JDK, as a program without the agent has them. */
public final class JdkSockets extends BestOf {
    private final Set<Reach> reaches;

    private JdkSockets(String name, boolean isUnixDomain, Reach... reaches) {
        super(
                name,
                "",
                List.of(new Variant("blocking", new JvmPeer(SocketEnd.class.getName(), options(isUnixDomain)))));
        this.reaches = Set.of(reaches);
    }

    private static List<String> options(boolean isUnixDomain) {
        return List.of("-D" + SocketEnd.UNIX_DOMAIN + "=" + isUnixDomain);
    }

    /** Over the loopback interface. */
    public static JdkSockets tcp() {
        return new JdkSockets(Names.JDK_TCP, false, Reach.SOCKETS, Reach.FOREIGN_CLIENT);
    }

    /** Over a path. */
    public static JdkSockets unix() {
        return new JdkSockets(Names.JDK_UNIX, true, Reach.SOCKETS);
    }

    @Override
    public boolean can(Task task) {
        return reaches.contains(task.reach())
                && switch (task.work()) {
                    case SEND_LATENCY, SEND_RATE, WAKE, CONNECT -> true;
                    case WRITE_SEEN, WRITE_RATE, READ, READ_RATE, FADD, CAS, AT_RATE -> false;
                };
    }
}
