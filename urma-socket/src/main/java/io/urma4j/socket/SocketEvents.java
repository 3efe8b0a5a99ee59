package io.urma4j.socket;

import io.urma4j.socket.ring.RingConnection;
import io.urma4j.socket.ring.RingUse;
import java.io.IOException;
import java.time.Duration;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The events. Loaded only where there is a Flight Recorder. */
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class SocketEvents {
    private SocketEvents() {}

    static void connected(UrmaSocketChannel channel, FallbackReason reason, Duration took) {
        Connected event = new Connected();
        RingConnection rings = channel.rings();
        if (event.isEnabled()) {
            event.transport = rings == null ? "tcp" : rings.device();
            event.reason = reason.name();
            event.took = took.toNanos();
            event.commitFor(channel);
        }
    }

    static void closing(UrmaSocketChannel channel) {
        Closed event = new Closed();
        RingConnection rings = channel.rings();
        if (event.isEnabled() && rings != null) {
            try {
                event.fill(rings.use());
            } catch (IllegalStateException e) {
                return; // its rings were given back already
            }
            event.commitFor(channel);
        }
    }

    /** What both have. */
    @Category("urma4j")
    @StackTrace(false)
    private abstract static class ConnectionEvent extends Event {
        @Label("Local Address")
        String local = "";

        @Label("Peer Address")
        String peer = "";

        final void commitFor(UrmaSocketChannel channel) {
            try {
                local = ConnectionRow.text(channel.getLocalAddress());
                peer = ConnectionRow.text(channel.getRemoteAddress());
                commit();
            } catch (IOException e) {
                // closed a moment ago, by another thread
            }
        }
    }

    @Name("io.urma4j.SocketConnected")
    @Label("Socket Connected")
    @Description("A connection was made or accepted, over rings of shm0 or udma0, or over TCP for a reason")
    private static final class Connected extends ConnectionEvent {
        @Label("Transport")
        String transport = "";

        @Label("Reason for TCP")
        String reason = "";

        @Label("Connect Time")
        @Description("Zero for a connection that was accepted")
        @Timespan(Timespan.NANOSECONDS)
        long took;
    }

    @Name("io.urma4j.SocketClosed")
    @Label("Socket Closed")
    @Description("A connection over rings of shm0 or udma0 was closed by this process, with what it has moved")
    private static final class Closed extends ConnectionEvent {
        @Label("Bytes Read")
        @DataAmount
        long read;

        @Label("Bytes Written")
        @DataAmount
        long written;

        @Label("Doorbells Received")
        @Description("Bytes over TCP that woke this end")
        int doorbellsHeard;

        @Label("Doorbells Sent")
        @Description("Bytes over TCP that woke the peer")
        int doorbellsSent;

        void fill(RingUse use) {
            read = use.readBytes();
            written = use.writtenBytes();
            doorbellsHeard = use.doorbellsHeard();
            doorbellsSent = use.doorbellsSent();
        }
    }
}
