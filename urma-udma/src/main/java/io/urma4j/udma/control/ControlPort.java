package io.urma4j.udma.control;

import io.urma4j.Eid;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.wire.IpHeaders;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * QP 1 of a port: passes each control datagram to its context, and answers UNKNOWN for contexts that do not exist. For one
 * thread; the time is an argument.
 */
public final class ControlPort {
    private static final long ECHO_LIFE =
            0; // contexts count theirs from 1: no cookie of an echo is good for a greeting

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final PortAddress self;
    private final BiConsumer<PortAddress, ByteBuffer> wire;
    private final Cookies cookies;
    private final Map<Long, ControlPlane> planes = new HashMap<>();

    private long received;
    private long malformed;
    private long stale;
    private long echoed;

    /**
     * A port without contexts.
     *
     * @param wire sends a UD packet to QP 1 of a port; one that it cannot send is lost, and its sender retransmits it
     * @param secret 32 random bytes
     */
    public ControlPort(PortAddress self, BiConsumer<PortAddress, ByteBuffer> wire, byte[] secret) {
        this.self = self;
        this.wire = wire;
        this.cookies = new Cookies(secret);
    }

    public PortAddress self() {
        return self;
    }

    void add(ControlPlane plane) {
        planes.put(plane.incarnation(), plane);
    }

    void remove(ControlPlane plane) {
        planes.remove(plane.incarnation());
    }

    /** Datagrams that arrived. */
    public long received() {
        return received;
    }

    /** Of these, malformed: unreadable to this version, or a greeting that contradicts itself. */
    public long malformed() {
        return malformed;
    }

    /** Of these, stale, or for no context here. */
    public long stale() {
        return stale;
    }

    /** Of these, echo requests that were answered. */
    public long echoed() {
        return echoed;
    }

    void countStale() {
        stale++;
    }

    /** Receives the payload of a UD packet to QP 1. Never throws, whatever the payload. */
    public void received(Eid source, ByteBuffer payload, long nowNanos) {
        received++;
        ControlDatagram datagram = ControlDatagram.decode(payload);
        if (datagram == null || datagram.udpPort() == 0) {
            foreign(source, payload);
            return;
        }
        PortAddress from = new PortAddress(source, datagram.udpPort());
        ControlPlane plane = planes.get(datagram.to());
        try {
            if (datagram.kind() == Kind.GREET) {
                greeted(plane, from, datagram, nowNanos);
            } else if (datagram.kind() == Kind.ECHO) {
                asked(from, datagram, nowNanos);
            } else if (plane == null) {
                stranger(from, datagram);
            } else {
                plane.received(from, datagram, nowNanos);
            }
        } catch (ControlFormatException e) {
            malformed++;
        }
    }

    private void foreign(Eid source, ByteBuffer payload) {
        ByteBuffer refusal = ConnectRequests.refusal(payload);
        if (refusal == null) {
            malformed++;
        } else {
            wire.accept(new PortAddress(source, IpHeaders.ROCE_PORT), refusal);
        }
    }

    private void greeted(@Nullable ControlPlane plane, PortAddress from, ControlDatagram datagram, long nowNanos)
            throws ControlFormatException {
        Greeting greeting = Greeting.decode(datagram.body());
        if (greeting.hello().major() == ControlCodec.MAJOR // of another one it is not known
                && (greeting.hello().incarnation() != datagram.from()
                        || greeting.hello().wanted() != datagram.to())) {
            malformed++;
        } else if (plane == null) {
            unknown(from, datagram);
        } else if (!cookies.isGood(datagram.tag(), from, datagram.from(), greeting.life(), nowNanos)) {
            challenge(from, datagram, greeting.life(), nowNanos);
        } else {
            plane.greeted(from, datagram, greeting, nowNanos);
        }
    }

    private void challenge(PortAddress from, ControlDatagram datagram, long life, long nowNanos) {
        long cookie = cookies.cookie(from, datagram.from(), life, nowNanos);
        answer(from, datagram, Kind.CHALLENGE, cookie, 0, EMPTY);
    }

    /** Answers an echo with as many bytes if the sender's address is proven, otherwise with fewer. */
    private void asked(PortAddress from, ControlDatagram datagram, long nowNanos) {
        if (!cookies.isGood(datagram.tag(), from, datagram.from(), ECHO_LIFE, nowNanos)) {
            challenge(from, datagram, ECHO_LIFE, nowNanos);
        } else {
            echoed++;
            answer(from, datagram, Kind.ECHOED, datagram.tag(), 0, datagram.body());
        }
    }

    private void stranger(PortAddress from, ControlDatagram datagram) {
        stale++;
        if (datagram.kind() == Kind.REQUEST) {
            unknown(from, datagram);
        }
    }

    /** Answers that no context here knows the sender; repeats values that only the sender can know. */
    void unknown(PortAddress from, ControlDatagram datagram) {
        answer(from, datagram, Kind.UNKNOWN, datagram.tag(), 0, EMPTY);
    }

    /** Answers that the context is here, and does not know the tag. No longer than the request, whose address may be forged. */
    void unknownTag(PortAddress from, ControlDatagram datagram) {
        answer(from, datagram, Kind.UNKNOWN, datagram.tag(), 1, EMPTY);
    }

    /** The same as the first, with a reason. */
    void unknown(PortAddress from, ControlDatagram datagram, PeerMessage why) {
        answer(from, datagram, Kind.UNKNOWN, datagram.tag(), 0, MessageCodec.encode(why));
    }

    private void answer(PortAddress from, ControlDatagram asked, Kind kind, long tag, long floor, ByteBuffer body) {
        send(
                from,
                new ControlDatagram(kind, self.udpPort(), asked.number(), asked.from(), asked.to(), tag, floor, body));
    }

    void send(PortAddress to, ControlDatagram datagram) {
        wire.accept(to, datagram.encode());
    }
}
