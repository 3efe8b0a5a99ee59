package io.urma4j.udma.driver;

import io.urma4j.Eid;
import io.urma4j.udma.control.ControlPort;
import io.urma4j.udma.control.PortAddress;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.udp.PacketSink;
import io.urma4j.udma.udp.UdpPort;
import java.nio.ByteBuffer;

/**
 * Serves packets of unknown senders, if the port has separate sockets for them: in small batches, and for a bounded share
 * of one CPU, so that an overload leaves the rest to the peers. Unserved packets stay in the kernel, which drops what
 * exceeds its buffer. It also updates the kernel's filter with the addresses of peers.
 *
 * <p>Pending control datagrams are served by network in turn ({@link UnknownPeerMail}).
 *
 * <p>The engine's thread, except {@link #know} and {@link #forget}.
 */
final class UnknownPeers implements EngineThread.Turn {
    /** The share of the time: one part in this many. */
    private static final int SHARE = 16;

    /**
     * Datagrams are received faster than they are handled: in the kernel's single queue they would delay all senders alike.
     */
    private static final int RECEIVES_AT_ONCE = 4;

    /** Control datagrams per batch. */
    private static final int LETTERS_AT_ONCE = 4;

    /** Updates of the kernel's filter take one part in this many of the time, if there are many. */
    private static final int STEERING_SHARE = 4;

    private final UdpPort port;
    private final EngineThread engine;
    private final EventLoop eventLoop;
    private final ControlPort control;
    private final PacketSink sink;
    private final UnknownPeerMail mail = new UnknownPeerMail(); // the engine's thread
    private final TimeCredit credit = new TimeCredit(SHARE); // enough for a few hundred greetings at once
    private boolean receives; // guarded by the card's lock
    private long nextSteeringNanos; // guarded by this

    UnknownPeers(UdpPort port, EngineThread engine, EventLoop eventLoop, ControlPort control, PacketSink sink) {
        this.port = port;
        this.engine = engine;
        this.eventLoop = eventLoop;
        this.control = control;
        this.sink = sink;
    }

    // ---- known sources; any thread

    /**
     * Packets from that port, or from any port if it is 0, are a peer's from now on, or will be soon. Must be undone as
     * often as it is called.
     */
    void know(PortAddress source) {
        port.know(source.eid().high(), source.eid().low(), source.udpPort());
        steer();
    }

    /** Not any more. */
    void forget(PortAddress source) {
        port.forget(source.eid().high(), source.eid().low(), source.udpPort());
        steer();
    }

    /** At once, unless it was done a moment ago: then the engine does it later. */
    private void steer() {
        long now = engine.nanos();
        if (port.mustSteer() && !steered(now)) {
            engine.wakeSoon();
        }
    }

    private synchronized boolean steered(long nowNanos) {
        if (nowNanos < nextSteeringNanos) {
            return false;
        }
        port.steer();
        long now = engine.nanos();
        nextSteeringNanos = now + STEERING_SHARE * (now - nowNanos);
        return true;
    }

    private synchronized long steeringDelayNanos(long nowNanos) {
        return Math.max(nextSteeringNanos - nowNanos, 0);
    }

    // ---- what they send

    @Override
    public long run(long nowNanos) {
        long delayNanos = Long.MAX_VALUE;
        if (port.mustSteer() && !steered(nowNanos)) {
            delayNanos = steeringDelayNanos(nowNanos);
        }
        return port.hasStrangers() || !mail.isEmpty() ? Math.min(delayNanos, look(nowNanos)) : delayNanos;
    }

    /** Serves some if there is credit; returns the delay until there is again. */
    private long look(long nowNanos) {
        if (credit.accrue(nowNanos)) {
            engine.guarded(this::receive);
            credit.charge(engine.nanos() - nowNanos);
        }
        return credit.delayNanos();
    }

    private void receive() {
        eventLoop.enter();
        try {
            receives = true;
            for (int i = 0; i < RECEIVES_AT_ONCE; i++) {
                port.receiveFromStrangers(sink);
            }
        } finally {
            receives = false;
            eventLoop.leave();
        }
        UnknownPeerMail.Letter letter = mail.poll();
        for (int i = 0; letter != null; i++) {
            control.received(letter.source(), letter.datagram(), engine.nanos());
            letter = i < LETTERS_AT_ONCE - 1 ? mail.poll() : null;
        }
    }

    /** Whether the packets being received are theirs. Under the card's lock. */
    boolean areLookedAt() {
        return receives;
    }

    /** Receives one of their control datagrams. Under the card's lock. */
    void take(Eid source, ByteBuffer datagram) {
        mail.add(source, datagram);
    }
}
