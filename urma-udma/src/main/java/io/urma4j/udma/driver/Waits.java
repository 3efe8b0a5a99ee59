package io.urma4j.udma.driver;

import io.urma4j.Resource;
import io.urma4j.udma.command.SendWait;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Describes what the work requests of a context wait for: a line per queue, target and reason. */
final class Waits {
    private static final int ID_BITS = 24;

    private Waits() {}

    /**
     * The lines of some queues with ids above {@code after}.
     *
     * @param peers the peer of a number
     */
    static List<Resource> of(List<UdmaSendQueue> queues, IntFunction<String> peers, long after, int limit) {
        List<Resource> lines = new ArrayList<>();
        for (UdmaSendQueue queue : queues) {
            long id = (long) queue.id() << ID_BITS;
            for (SendWait wait : queue.waits()) {
                if (id > after && lines.size() < limit) {
                    lines.add(line(id, queue, wait, peers.apply(wait.peer())));
                }
                id++;
            }
        }
        return lines;
    }

    private static Resource line(long id, UdmaSendQueue queue, SendWait wait, String peer) {
        return Resource.builder(Resource.Kind.WAIT, id)
                .add("queue", queue.id())
                .add("wr_cnt", wait.count())
                .add("waits_for", reason(queue, wait.reason()))
                .add("of", wait.remoteQueue() == 0 ? peer : "queue " + wait.remoteQueue() + " of " + peer)
                .build();
    }

    private static String reason(UdmaSendQueue queue, SendWait.Reason reason) {
        return switch (reason) {
            case STATE -> "the queue is " + queue.state();
            case ANSWER -> "its answer";
            case EVENT -> "an event of a device";
            case RECEIVER -> "a receive work request there";
            case ORDER -> "earlier messages to the same home";
            case TURN -> "earlier requests, or free space on the connection";
        };
    }
}
