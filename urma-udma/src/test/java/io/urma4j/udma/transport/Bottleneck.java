package io.urma4j.udma.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Flows that send what their windows allow over one link with a queue, in virtual time: what comes back of it are their
 * shares, how full the queue was, and how much of the link was used. All packets are equally long.
 */
final class Bottleneck {
    /**
     * The link, and what is on it.
     *
     * @param packetNanos what the link needs for a packet
     * @param queuePackets what the queue holds before it drops
     * @param shortestRttNanos of the first flow
     * @param rttSpread how much longer that of the last is, as a share
     * @param jitterNanos random delay on the way back, behind the bottleneck
     * @param randomLoss share of packets that vanish whatever the queue
     * @param startsWithinNanos flows begin one after the other, evenly
     * @param marksFromPackets packets that find so many in the queue are marked, of which their receiver sends a notice
     */
    record Link(
            long packetNanos,
            int queuePackets,
            long shortestRttNanos,
            double rttSpread,
            long jitterNanos,
            double randomLoss,
            long startsWithinNanos,
            int marksFromPackets) {
        Link(
                long packetNanos,
                int queuePackets,
                long shortestRttNanos,
                double rttSpread,
                long jitterNanos,
                double randomLoss,
                long startsWithinNanos) {
            this(
                    packetNanos,
                    queuePackets,
                    shortestRttNanos,
                    rttSpread,
                    jitterNanos,
                    randomLoss,
                    startsWithinNanos,
                    Integer.MAX_VALUE);
        }

        /** The same with marks. */
        Link marking(int fromPackets) {
            return new Link(
                    packetNanos,
                    queuePackets,
                    shortestRttNanos,
                    rttSpread,
                    jitterNanos,
                    randomLoss,
                    startsWithinNanos,
                    fromPackets);
        }
    }

    /** What came of it, over the second half of the time. */
    record Outcome(List<Long> delivered, double used, double queueFullShare, double meanQueueShare, long dropped) {
        double jain() {
            double sum = 0;
            double squares = 0;
            for (long share : delivered) {
                sum += share;
                squares += (double) share * share;
            }
            return sum * sum / (delivered.size() * squares);
        }
    }

    private record Event(long at, long order, Flow flow, long packet, boolean leavesQueue, boolean isMarked) {}

    private static final int REORDERING = 3; // so many younger answers say that a packet is lost

    private final Link link;
    private final SplittableRandom random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>((a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private final List<Flow> flows = new ArrayList<>();
    private long order;
    private long now;
    private long linkFreeAt;
    private int queued;

    // measured in the second half
    private long measureFrom;
    private long lastChange;
    private double fullNanos;
    private double queueNanos;
    private long left;
    private long dropped;

    Bottleneck(Link link, int count, long seed) {
        this.link = link;
        this.random = new SplittableRandom(seed);
        for (int i = 0; i < count; i++) {
            double longer = count == 1 ? 0 : link.rttSpread * i / (count - 1);
            flows.add(new Flow((long) (link.shortestRttNanos * (1 + longer))));
        }
    }

    Outcome run(long nanos) {
        measureFrom = nanos / 2;
        lastChange = measureFrom;
        for (int i = 0; i < flows.size(); i++) {
            long start = flows.size() == 1 ? 0 : link.startsWithinNanos * i / (flows.size() - 1);
            events.add(new Event(start, order++, flows.get(i), -1, false, false));
        }
        while (!events.isEmpty() && events.peek().at < nanos) {
            Event event = events.poll();
            now = event.at;
            if (event.leavesQueue) {
                leave(event);
            } else {
                event.flow.noticed(event.isMarked);
                event.flow.answered(event.packet);
            }
        }
        now = nanos;
        queueChanges();
        long measured = nanos - measureFrom;
        return new Outcome(
                flows.stream().map(flow -> flow.delivered).toList(),
                (double) left * link.packetNanos / measured,
                fullNanos / measured,
                queueNanos / measured / link.queuePackets,
                dropped);
    }

    private void queueChanges() {
        if (now > lastChange) {
            fullNanos += queued >= link.queuePackets ? now - lastChange : 0;
            queueNanos += (double) queued * (now - lastChange);
            lastChange = now;
        }
    }

    private void offer(Flow flow, long packet) {
        if (random.nextDouble() < link.randomLoss) {
            return;
        }
        if (queued >= link.queuePackets) {
            dropped += now >= measureFrom ? 1 : 0;
            return;
        }
        queueChanges();
        boolean isMarked = queued >= link.marksFromPackets;
        queued++;
        linkFreeAt = Math.max(linkFreeAt, now) + link.packetNanos;
        events.add(new Event(linkFreeAt, order++, flow, packet, true, isMarked));
    }

    private void leave(Event event) {
        queueChanges();
        queued--;
        left += now >= measureFrom ? 1 : 0;
        long back = event.flow.rttNanos + (link.jitterNanos == 0 ? 0 : random.nextLong(link.jitterNanos));
        event.flow.backAt = Math.max(event.flow.backAt, now + back); // later, but in order
        events.add(new Event(event.flow.backAt, order++, event.flow, event.packet, false, event.isMarked));
    }

    /** One connection: sends without end, numbers packets, takes younger answers for the loss of older packets. */
    private final class Flow {
        private final long rttNanos;
        private final CongestionControl control = new CongestionControl(1024, CongestionControl.INITIAL_WINDOW_PACKETS);
        private final RttEstimator estimator = new RttEstimator(100_000_000, 10_000_000, 2_000_000_000);
        private final List<long[]> open = new ArrayList<>(); // number, sent at, younger answers
        private long next;
        private long backAt;
        private long timerOf;
        private long delivered;
        private long noticedAt;

        Flow(long rttNanos) {
            this.rttNanos = rttNanos;
        }

        /** As {@link CongestionNotices} tells it: now and then. */
        void noticed(boolean isMarked) {
            if (isMarked && now - noticedAt >= CongestionNotices.LEAST_NANOS) {
                noticedAt = now;
                control.noticed(now);
            }
        }

        /** A negative number below −1 is the timer that was armed at its negation; −1 starts the flow. */
        void answered(long packet) {
            if (packet >= 0) {
                acknowledge(packet);
            } else if (-packet == timerOf && !open.isEmpty()) {
                open.clear();
                control.timedOut(now);
                estimator.backOff();
            } else if (packet != -1) {
                return;
            }
            fill();
        }

        private void acknowledge(long packet) {
            int inFlight = open.size();
            for (int i = 0; i < open.size(); i++) {
                long[] one = open.get(i);
                if (one[0] == packet) {
                    open.remove(i);
                    long rtt = now - one[1];
                    estimator.sample(rtt);
                    control.acknowledged(1, inFlight, rtt, now);
                    delivered += now >= measureFrom ? 1 : 0;
                    break;
                }
                if (one[0] < packet && ++one[2] >= REORDERING) {
                    open.remove(i--);
                    control.lost(1, now);
                }
            }
        }

        private void fill() {
            while (open.size() < control.windowPackets()) {
                control.sends(open.size(), now);
                open.add(new long[] {next, now, 0});
                offer(this, next++);
            }
            timerOf = now + 2;
            events.add(new Event(now + estimator.timeoutNanos(), order++, this, -timerOf, false, false));
        }
    }
}
