package io.urma4j.udma.control;

import io.urma4j.Eid;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.udma.control.ControlDatagram.Kind;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * QP 1 of a port: hands each control datagram to the context that it is for, and tells who asks for one that does not
 * exist. For one thread; the time is handed in.
 */
public final class ControlPort {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final PortAddress self;
    private final ControlWire wire;
    private final Cookies cookies;
    private final Map<Long, ControlPlane> planes = new HashMap<>();

    private long received;
    private long malformed;
    private long stale;

    /**
     * A port without contexts.
     *
     * @param secret 32 random bytes
     */
    public ControlPort(PortAddress self, ControlWire wire, byte[] secret) {
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

    /** Of these, such that no context of any version sends. */
    public long malformed() {
        return malformed;
    }

    /** Of these, such that came too late, or were not meant for anybody who is here. */
    public long stale() {
        return stale;
    }

    void countMalformed() {
        malformed++;
    }

    void countStale() {
        stale++;
    }

    /** Takes the payload of a UD packet to QP 1. Never throws, whatever it is. */
    public void received(Eid source, ByteBuffer payload, long nowNanos) {
        received++;
        ControlDatagram datagram = ControlDatagram.decode(payload);
        if (datagram == null || datagram.udpPort() == 0) {
            malformed++;
            return;
        }
        PortAddress from = new PortAddress(source, datagram.udpPort());
        ControlPlane plane = planes.get(datagram.to());
        try {
            if (datagram.kind() == Kind.GREET) {
                greeted(plane, from, datagram, nowNanos);
            } else if (plane == null) {
                stranger(from, datagram);
            } else {
                plane.received(from, datagram, nowNanos);
            }
        } catch (ControlFormatException e) {
            malformed++;
        }
    }

    private void greeted(@Nullable ControlPlane plane, PortAddress from, ControlDatagram datagram, long nowNanos)
            throws ControlFormatException {
        Greeting greeting = Greeting.decode(datagram.body());
        if (greeting.hello().incarnation() != datagram.from()
                || greeting.hello().wanted() != datagram.to()) {
            malformed++;
        } else if (plane == null) {
            unknown(from, datagram);
        } else if (!cookies.isGood(datagram.tag(), from, datagram.from(), greeting.life(), nowNanos)) {
            long cookie = cookies.cookie(from, datagram.from(), greeting.life(), nowNanos);
            send(
                    from,
                    new ControlDatagram(
                            Kind.CHALLENGE,
                            self.udpPort(),
                            datagram.number(),
                            datagram.from(),
                            datagram.to(),
                            cookie,
                            0,
                            EMPTY));
        } else {
            plane.greeted(from, datagram, greeting, nowNanos);
        }
    }

    private void stranger(PortAddress from, ControlDatagram datagram) {
        stale++;
        if (datagram.kind() == Kind.REQUEST) {
            unknown(from, datagram);
        }
    }

    /** Answers that nobody here knows the sender; repeats what only he can have said. */
    void unknown(PortAddress from, ControlDatagram datagram) {
        unknown(from, datagram, Optional.empty());
    }

    /** The same, with a reason. */
    void unknown(PortAddress from, ControlDatagram datagram, Optional<Message> why) {
        send(
                from,
                new ControlDatagram(
                        Kind.UNKNOWN,
                        self.udpPort(),
                        datagram.number(),
                        datagram.from(),
                        datagram.to(),
                        datagram.tag(),
                        0,
                        why.map(MessageCodec::encode).orElse(EMPTY)));
    }

    void send(PortAddress to, ControlDatagram datagram) {
        wire.send(to, datagram.encode());
    }
}
