package io.urma4j.udma.transport;

import io.urma4j.udma.transport.Traffic.Event;

/**
 * Notifies the peer by a CNP when a switch on the path has marked one of its packets, independent of other responses (WIRE
 * §9). A peer slows down at most once per RTT, so that some marks in a while are as good as all of them.
 */
final class CongestionNotices {
    /** Minimum interval of CNPs, as network cards have it. */
    static final long LEAST_NANOS = 50_000;

    private final PacketWriter writer;
    private final Traffic traffic;
    private boolean isDue;
    private boolean hasTold;
    private long toldNanos;

    CongestionNotices(PacketWriter writer, Traffic traffic) {
        this.writer = writer;
        this.traffic = traffic;
    }

    /** A marked packet has arrived. */
    void marked(long nowNanos) {
        traffic.add(Event.MARKED);
        if (!hasTold || nowNanos - toldNanos >= LEAST_NANOS) {
            isDue = true;
            hasTold = true;
            toldNanos = nowNanos;
        }
    }

    boolean isDue() {
        return isDue;
    }

    /** Sends a pending CNP; false if the port has no space. */
    boolean send() {
        if (isDue) {
            isDue = !writer.sendNotice();
        }
        return !isDue;
    }
}
