package io.urma4j.udma.udp;

import io.urma4j.libc.Errno;
import io.urma4j.libc.LibcException;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.PathMtu;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an open port, and the results of opening it.
 *
 * @param backend of I/O
 * @param reason why no faster backend is used; empty for the fastest
 * @param portNote why the UDP port is not that of RoCE; empty if it is
 * @param ecnNote why it does not use ECN; empty if it does
 * @param strangersNote why unknown peers have no separate sockets; empty if they have
 * @param mtuBytes the path MTU towards urma4j peers
 */
record OpenedPort(
        Io io,
        Outbox outbox,
        IoBackend backend,
        String reason,
        String portNote,
        String ecnNote,
        String strangersNote,
        LocalInterface localInterface,
        int mtuBytes) {
    private static final Path RXE_MODULE = Path.of("/sys/module/rdma_rxe");

    /**
     * Opens a port.
     *
     * @throws PortException if the address is not local, the port is taken, or the backend does not work here
     */
    static OpenedPort open(PortOptions options) {
        InetAddress address = options.address();
        if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
            throw new PortException(
                    address.getHostAddress()
                            + " is not the address of one interface, and the ICRC covers the source address",
                    null);
        }
        LocalInterface localInterface = LocalInterface.of(address);
        IoBackend wanted = options.backend();
        IoProbe probe = wanted == IoBackend.CHANNEL ? new IoProbe(IoBackend.CHANNEL, "") : probe(address);
        if (wanted != null && wanted.compareTo(probe.backend()) < 0) {
            throw new PortException(wanted + " was requested, but does not work here: " + probe.reason(), null);
        }
        IoBackend backend = wanted == null ? probe.backend() : wanted;
        if (backend == IoBackend.CHANNEL && address instanceof Inet6Address) {
            throw new PortException(
                    "DatagramChannel cannot receive Linux RDMA packets over IPv6, and no other I/O backend works here"
                            + (probe.reason().isEmpty() ? "" : ": " + probe.reason()),
                    null);
        }
        String reason = wanted != null ? "as configured" : probe.reason();
        return open(options, backend, reason, localInterface);
    }

    private static IoProbe probe(InetAddress address) {
        try {
            return IoProbe.at(address);
        } catch (LibcException e) {
            throw cannotBind(address, 0, e);
        }
    }

    private static OpenedPort open(
            PortOptions options, IoBackend backend, String reason, LocalInterface localInterface) {
        int mtuBytes = mtuBytes(options, backend, localInterface);
        Outbox outbox = new Outbox(backend == IoBackend.GSO, gathers(options, backend), mtuBytes);
        boolean any = options.port() == PortOptions.DEFAULT_PORT;
        int first = any ? IpHeaders.ROCE_PORT : Math.max(options.port(), 0);
        String note = first == IpHeaders.ROCE_PORT
                ? ""
                : (first == 0 ? "any port" : "port " + first) + " as configured: " + loss();
        String ecnNote = options.ecn().objection(options.address(), backend);
        boolean ecn = ecnNote.isEmpty();
        Io io = tryBind(options, first, backend, outbox, ecn);
        if (io == null && any) {
            note = "port " + first + " of " + options.address().getHostAddress() + " is taken by " + holder()
                    + ", so another port is used: " + loss();
            io = tryBind(options, 0, backend, outbox, ecn);
        }
        if (io == null) {
            throw new PortException(
                    "port " + first + " of " + options.address().getHostAddress() + " is taken by " + holder(), null);
        }
        String strangers = options.strangersApart() ? part(io, options.address()) : "as configured";
        return new OpenedPort(io, outbox, backend, reason, note, ecnNote, strangers, localInterface, mtuBytes);
    }

    /** DatagramChannel, the last resort, sends the packets of RoCE alone: its buffers are allocated in full. */
    private static int mtuBytes(PortOptions options, IoBackend backend, LocalInterface localInterface) {
        int bytes = localInterface.pathMtuBytes(options.address() instanceof Inet6Address, options.mtuLimitBytes());
        return backend == IoBackend.CHANNEL ? PathMtu.ofRoce(bytes) : bytes;
    }

    /** A capture reads whole packets, and so does DatagramChannel. */
    private static boolean gathers(PortOptions options, IoBackend backend) {
        return backend != IoBackend.CHANNEL && options.capture() == null;
    }

    /** Opens separate sockets for unknown peers; returns why that is impossible. */
    private static String part(Io io, InetAddress address) {
        try {
            io.openUnknownPeerSockets(address, new SecureRandom());
            return "";
        } catch (LibcException | UnsupportedOperationException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Null if the port is taken. */
    private static @Nullable Io tryBind(PortOptions options, int port, IoBackend backend, Outbox outbox, boolean ecn) {
        InetAddress address = options.address();
        try {
            return backend == IoBackend.CHANNEL
                    ? ChannelIo.open(address, port, outbox, options.bufferBytes())
                    : SocketIo.open(address, port, outbox, backend == IoBackend.GSO, ecn, options.bufferBytes());
        } catch (LibcException e) {
            if (e.errno() == Errno.EADDRINUSE) {
                return null;
            }
            throw cannotBind(address, port, e);
        } catch (BindException e) {
            if (String.valueOf(e.getMessage()).contains("in use")) {
                return null;
            }
            throw cannotBind(address, port, e);
        } catch (IOException e) {
            throw cannotBind(address, port, e);
        }
    }

    private static PortException cannotBind(InetAddress address, int port, Exception cause) {
        boolean isGone = cause instanceof LibcException e && e.errno() == Errno.EADDRNOTAVAIL
                || String.valueOf(cause.getMessage()).contains("Cannot assign");
        return new PortException(
                isGone
                        ? "no interface of this machine has the address " + address.getHostAddress()
                        : "cannot open port " + port + " of " + address.getHostAddress() + ": " + cause.getMessage(),
                cause);
    }

    private static String holder() {
        return Files.exists(RXE_MODULE)
                ? "the kernel's own Soft-RoCE: the module rdma_rxe is loaded ('modprobe -r rdma_rxe' frees the port)"
                : "another process, such as one more of urma4j";
    }

    private static String loss() {
        return "urma4j peers learn it from descriptors, but Linux RDMA and network cards cannot reach it";
    }
}
