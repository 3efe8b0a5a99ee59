package io.urma4j.udma.transport;

/**
 * Tells the peer when a switch on the way has marked what it sent: by a CNP, whatever else there is to say (WIRE §9). A peer
 * slows down once for each round trip at most, so that some marks in a while are as good as all of them.
 */
final class CongestionNotices {
    /** Between two notices; as network cards have it. */
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

    /** A packet has come that was marked. */
    void marked(long nowNanos) {
        traffic.marked++;
        if (!hasTold || nowNanos - toldNanos >= LEAST_NANOS) {
            isDue = true;
            hasTold = true;
            toldNanos = nowNanos;
        }
    }

    boolean isDue() {
        return isDue;
    }

    /** Sends what is due; false when the port has no room. */
    boolean send() {
        if (isDue) {
            isDue = !writer.sendNotice();
        }
        return !isDue;
    }
}
