package io.urma4j.udma.udp;

import io.urma4j.libc.Errno;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Poll;
import io.urma4j.libc.UdpMessages;
import io.urma4j.libc.UdpOption;
import io.urma4j.libc.UdpSocket;
import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Finds the I/O backend that works here, by a test: two sockets at the address, and one datagram between them that the
 * kernel must split. The kernel's options alone prove nothing, since a sandbox may accept and ignore them.
 *
 * @param backend the fastest that works
 * @param reason why no faster one works; empty if there is none
 */
record IoProbe(IoBackend backend, String reason) {
    private static final int SEGMENT_BYTES = 64;
    private static final int PIECES = 2;
    static final int PATIENCE_MILLIS = 100;
    static final int BUFFER_BYTES = 1 << 16;

    /**
     * Runs the test.
     *
     * @throws LibcException with EADDRNOTAVAIL if the address is not local
     */
    static IoProbe at(InetAddress address) {
        try (UdpSocket from = SocketIo.open(address, BUFFER_BYTES);
                UdpSocket to = SocketIo.open(address, BUFFER_BYTES)) {
            from.bind(address, 0);
            to.bind(address, 0);
            String refusal = refusalOfRuns(from, to, address);
            return refusal == null ? new IoProbe(IoBackend.GSO, "") : new IoProbe(IoBackend.MMSG, refusal);
        } catch (LibcException e) {
            if (e.errno() == Errno.EADDRNOTAVAIL) {
                throw e; // no way is of use then
            }
            return new IoProbe(IoBackend.CHANNEL, String.valueOf(e.getMessage()));
        } catch (UnsupportedOperationException e) {
            return new IoProbe(IoBackend.CHANNEL, String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable String refusalOfRuns(UdpSocket from, UdpSocket to, InetAddress address) {
        if (!from.trySet(UdpOption.SEGMENT, SEGMENT_BYTES) || !from.trySet(UdpOption.SEGMENT, 0)) {
            return "this kernel does not support UDP_SEGMENT";
        }
        if (!to.trySet(UdpOption.COALESCE, 1)) {
            return "this kernel does not support UDP_GRO";
        }
        UdpMessages run = new UdpMessages(1, Arena.ofAuto().allocate(PIECES * SEGMENT_BYTES));
        run.put(0, 0, 1);
        run.segment(0, SEGMENT_BYTES);
        address(run, address, to.localPort());
        int sent = from.send(run, 0, 1);
        if (sent < 0) {
            return "the kernel refused a datagram for UDP_SEGMENT with " + Errno.name(-sent);
        }
        int pieces = arrived(to, PIECES);
        if (pieces == 0) {
            run.put(0, 0, 1); // without cutting it
            from.send(run, 0, 1);
            // if nothing arrives, the machine's own loopback is down: so the kernel's options must do, until a send is
            // refused
            return arrived(to, 1) == 0 ? null : "a datagram for UDP_SEGMENT did not arrive";
        }
        return pieces == PIECES ? null : "a datagram for UDP_SEGMENT did not arrive in pieces";
    }

    static void address(UdpMessages messages, InetAddress address, int port) {
        if (address instanceof Inet6Address six) {
            messages.toIpv6(0, Addresses.high(address), Addresses.low(address), six.getScopeId(), port);
        } else {
            messages.toIpv4(0, (int) Addresses.low(address), port);
        }
    }

    /** How many pieces of the right length arrived, together or singly; or one of any length, if one is expected. */
    private static int arrived(UdpSocket to, int wanted) {
        UdpMessages places = new UdpMessages(1, Arena.ofAuto().allocate(2 * PIECES * SEGMENT_BYTES));
        int pieces = 0;
        while (pieces < wanted) {
            if (to.receive(places, 1) == 1) {
                boolean isPiece = wanted == 1 || places.receivedSegmentBytes(0) == SEGMENT_BYTES;
                pieces += isPiece ? Math.ceilDiv(places.receivedBytes(0), SEGMENT_BYTES) : 2 * PIECES;
            } else if (Poll.await(to.fd(), Poll.IN, PATIENCE_MILLIS) == 0) {
                break;
            }
        }
        return pieces;
    }
}
