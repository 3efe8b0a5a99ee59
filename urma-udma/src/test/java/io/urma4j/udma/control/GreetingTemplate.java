package io.urma4j.udma.control;

import io.urma4j.Eid;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.udma.control.ControlDatagram.Kind;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.ValueLayout;

/** A greeting for attackers that know nothing but the JDK: they replace what differs. */
public final class GreetingTemplate {
    /** Stands wherever the incarnation of the sender does. */
    public static final long INCARNATION = 0x1A2B_3C4D_5E6F_7080L;

    private GreetingTemplate() {}

    /** The packet without its ICRC: the cookie is 0, and so is the port. */
    public static byte[] packet(long homeIncarnation) {
        Hello hello = new Hello(1, 0, 0, 0, Eid.ofIpv4(1), 1, INCARNATION, homeIncarnation, "pid 1");
        Greeting greeting = new Greeting(INCARNATION, 1, new ConnectionEnd(1, 1, 1024), hello);
        var datagram =
                new ControlDatagram(Kind.GREET, 0, INCARNATION, homeIncarnation, INCARNATION, 0, 0, greeting.encode());
        var bytes = datagram.encode();
        Packet packet = Packet.allocate();
        Management.put(packet, 0, bytes);
        packet.end(bytes.remaining(), IpHeaders.ipv4(1, 2, 3, 4), new Icrc());
        return packet.bytes()
                .segment()
                .asSlice(0, packet.lengthBytes() - Icrc.BYTES)
                .toArray(ValueLayout.JAVA_BYTE);
    }
}
