package io.urma4j.udma.udp;

import io.urma4j.libc.LibcException;
import io.urma4j.libc.Poll;
import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import java.lang.foreign.Arena;
import java.net.InetAddress;

/**
 * Finds out whether this kernel reports marks, by a test like that of {@link IoProbe}: one socket sends a marked packet,
 * the other must see the mark.
 */
final class EcnProbe {
    private static final int PATIENCE_MILLIS = 100;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int BYTES = 64;

    private EcnProbe() {}

    /** Why it does not; empty if it does. */
    static String refusal(InetAddress address) {
        try (UdpSocket from = SocketIo.open(address, BUFFER_BYTES);
                UdpSocket to = SocketIo.open(address, BUFFER_BYTES)) {
            from.bind(address, 0);
            to.bind(address, 0);
            Ecn.enable(to, address);
            Ecn.send(from, address, UdpOption.ECN_MARKED);
            return arrivesMarked(from, to, address) ? "" : "a marked datagram arrived without its mark";
        } catch (LibcException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Or none arrives, if the machine's own loopback is down: then the kernel's options must do. */
    private static boolean arrivesMarked(UdpSocket from, UdpSocket to, InetAddress address) {
        UdpMessages messages = new UdpMessages(1, Arena.ofAuto().allocate(BYTES));
        messages.put(0, 0, 1);
        IoProbe.address(messages, address, to.localPort());
        from.send(messages, 0, 1);
        Poll.await(to.fd(), Poll.IN, PATIENCE_MILLIS);
        return to.receive(messages, 1) < 1 || Ecn.isMarked(messages.trafficClass(0));
    }
}
