package io.urma4j.udma.udp;

import io.urma4j.libc.Errno;
import io.urma4j.libc.Fd;
import io.urma4j.libc.UdpOption;
import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.udp.KnownSources.Source;
import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PathMtu;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A UDP port for packets of RoCEv2.
 *
 * <p>One thread at a time sends and receives, the holder of the card's lock. {@link #await} may run meanwhile in another
 * thread, and any thread may call {@link #wake}, {@link #backend} and the like.
 *
 * <p>Network failures are no errors: a packet that cannot leave is dropped and counted, like one lost on the path, and the
 * sender's timers detect it.
 */
public final class UdpPort implements Port, AutoCloseable {
    private final InetAddress address;
    private final OpenedPort opened;
    private final int port;
    private final Io io;
    private volatile String reason;
    private final @Nullable UnknownPeerSockets unknownPeerSockets;
    private final Outbox outbox;
    private final @Nullable PcapWriter capture;
    private final String lossNote;
    private final PortCounters counters = new PortCounters();
    private final PacketReader reader;
    private final Routes routes;
    private volatile boolean blocked; // packets wait for space in the socket: await() waits for it as well
    private int
            suspectErrno; // with which a run was refused, until single packets have told whether that was the reason
    private volatile String trouble = "";

    /** Over an opened port. */
    UdpPort(PortOptions options, OpenedPort opened) {
        address = options.address();
        this.opened = opened;
        io = opened.io();
        reason = opened.reason();
        unknownPeerSockets = io.unknownPeerSockets();
        outbox = opened.outbox();
        capture = options.capture();
        PacketLoss wanted = options.loss();
        lossNote = wanted == null ? "" : "drops " + 100 * wanted.share() + " % of arriving packets, as configured";
        port = io.localPort();
        reader = new PacketReader(address, port, counters, capture, wanted);
        routes = new Routes(address, port, opened.localInterface(), opened.mtuBytes());
    }

    // ---- opening

    /**
     * Opens a port.
     *
     * @throws PortException if the address is not local, the port is taken, or the backend does not work here
     */
    public static UdpPort open(PortOptions options) {
        return new UdpPort(options, OpenedPort.open(options));
    }

    // ---- what it is

    public InetAddress address() {
        return address;
    }

    /** The UDP port. */
    public int port() {
        return port;
    }

    /** Why it is not the port of RoCE, and the consequences; empty if it is. */
    public String portNote() {
        return opened.portNote();
    }

    /** Why it does not use ECN ({@link Ecn}); empty if it does. */
    public String ecnNote() {
        return opened.ecnNote();
    }

    /** The share of packets that it drops on purpose; empty if none. */
    public String lossNote() {
        return lossNote;
    }

    public IoBackend backend() {
        return opened.backend();
    }

    /** Why no faster backend is used; empty for the fastest. */
    public String reason() {
        return reason;
    }

    /** The path MTU that the interface allows, towards urma4j peers. */
    public int mtuBytes() {
        return opened.mtuBytes();
    }

    /** The same of RoCE, towards all others, and for datagrams. */
    public int roceMtuBytes() {
        return PathMtu.ofRoce(opened.mtuBytes());
    }

    /** The last reason why a packet could not leave, or why peers are treated as unknown; empty if all is well. */
    public String trouble() {
        return trouble;
    }

    public PortCounters counters() {
        return counters;
    }

    /**
     * Checks whether packets can still leave: the state of the address and of its interface since the port was opened. It
     * asks the kernel, so it is too slow for each packet. Any thread.
     *
     * @return why they cannot; empty if no reason is known
     */
    public String objection() {
        return LocalInterface.objection(address);
    }

    /** The same for packets of the port's path MTU, which some peers take in no other way. */
    public String mtuObjection() {
        return LocalInterface.mtuObjection(address, opened.mtuBytes());
    }

    // ---- routes

    /**
     * The route to a peer's port; the same object for the same peer, while not too many others are used. Any thread.
     *
     * @param udpPort {@link IpHeaders#ROCE_PORT}, unless the peer's descriptor says otherwise
     * @throws PortException for an address that this port cannot send to
     */
    public UdpRoute route(long eidHigh, long eidLow, int udpPort) {
        return route(eidHigh, eidLow, udpPort, IpHeaders.NO_SECRET, false);
    }

    /**
     * The same for packets of connections with a urma4j peer.
     *
     * @param secret shared with the peer
     * @param takesFragments whether the peer takes packets in fragments
     */
    public UdpRoute route(long eidHigh, long eidLow, int udpPort, long secret, boolean takesFragments) {
        return routes.to(eidHigh, eidLow, udpPort, secret, takesFragments);
    }

    // ---- sending

    @Override
    public @Nullable Packet begin(Route route) {
        if (outbox.isFull()) {
            flush();
            if (outbox.isFull()) {
                return null;
            }
        }
        return outbox.begin((UdpRoute) route);
    }

    @Override
    public void end(int payloadBytes) {
        if (outbox.end(payloadBytes)) {
            flush();
        }
    }

    @Override
    public boolean flush() {
        while (!outbox.isEmpty()) {
            int result = io.send();
            if (result > 0) {
                left(result);
            } else if (isFull(-result)) {
                block();
                return true;
            } else if (-result != Errno.EINTR) {
                refused(-result);
            }
        }
        blocked = false;
        return false;
    }

    private static boolean isFull(int errno) {
        return errno == Errno.EAGAIN || errno == 0;
    }

    private void block() {
        outbox.copyPayloads();
        counters.add(Counter.SEND_BLOCKED, 1);
        if (!blocked) {
            blocked = true;
            io.wake(); // a thread that already waits does not wait for space
        }
    }

    private void left(int datagrams) {
        for (int i = 0; i < datagrams; i++) {
            int datagram = outbox.next();
            counters.add(Counter.SENT_DATAGRAMS, 1);
            counters.add(Counter.SENT_PACKETS, outbox.count(datagram));
            counters.add(Counter.SENT_GATHERED, outbox.referring(datagram));
            counters.add(Counter.SENT_BYTES, outbox.lengthBytes(datagram));
            if (capture != null) {
                capture(datagram, capture);
            }
            if (suspectErrno != 0) {
                reason = "GSO is disabled, since the kernel refused a datagram for UDP_SEGMENT with "
                        + Errno.name(suspectErrno);
                suspectErrno = 0;
            }
            outbox.leave();
        }
    }

    private void capture(int datagram, PcapWriter writer) {
        int slot = outbox.firstSlot(datagram);
        for (int i = slot; i < slot + outbox.count(datagram); i++) {
            IpHeaders headers = outbox.route(i).headers();
            if (headers.isIpv4()) {
                headers.ipv4Id(outbox.id(i));
            }
            boolean mayBeMarked = opened.ecnNote().isEmpty() && outbox.isOfConnection(i);
            headers.trafficClass(mayBeMarked ? UdpOption.ECN_CAPABLE : UdpOption.NOT_ECN_CAPABLE);
            writer.packet(outbox.packet(i), headers);
        }
    }

    /** The next datagram cannot leave: retries it as single packets; otherwise it is lost. */
    private void refused(int errno) {
        int datagram = outbox.next();
        int count = outbox.count(datagram);
        if (count > 1) {
            outbox.split();
            if (isLackOfMemory(errno)) {
                outbox.runs(true); // which passes, and says nothing about runs
            } else {
                suspectErrno = errno;
            }
            return;
        }
        if (suspectErrno != 0) { // the same without runs: they were not the reason
            suspectErrno = 0;
            outbox.runs(true);
        }
        UdpRoute route = outbox.route(outbox.firstSlot(datagram));
        int length = outbox.lengthBytes(datagram);
        outbox.leave();
        if (errno == Errno.EMSGSIZE && route.narrow(length)) {
            counters.add(Counter.SEND_NARROWED, count);
            return;
        }
        counters.notSent(errno, count);
        trouble = "sending on the " + route + " failed with " + Errno.name(errno);
    }

    private static boolean isLackOfMemory(int errno) {
        return errno == Errno.ENOBUFS || errno == Errno.ENOMEM;
    }

    // ---- receiving

    /**
     * Receives available packets, up to a limit, and passes valid ones on.
     *
     * @param sink may send by this port, but not receive
     * @return how many datagrams arrived; 0 if there was none
     */
    public int receive(PacketSink sink) {
        return reader.receiveAll(io.arrivals(), sink);
    }

    // ---- strangers

    /**
     * Whether unknown peers have separate sockets: then {@link #receive} receives only packets of peers. Empty if so, else
     * why not. Any thread.
     */
    public String strangersNote() {
        return opened.strangersNote();
    }

    /**
     * Adds a known source; {@link #steer} updates the kernel. It must be {@link #forget removed} as often as it was added.
     * Any thread.
     *
     * @param udpPort of the source; 0 for any
     */
    public void know(long eidHigh, long eidLow, int udpPort) {
        if (unknownPeerSockets != null) {
            unknownPeerSockets.known().add(new Source(eidHigh, eidLow, udpPort));
        }
    }

    /** The reverse. Any thread. */
    public void forget(long eidHigh, long eidLow, int udpPort) {
        if (unknownPeerSockets != null) {
            unknownPeerSockets.known().remove(new Source(eidHigh, eidLow, udpPort));
        }
    }

    /** Whether the kernel's filter lacks a known source, or has an obsolete one. Any thread. */
    public boolean mustSteer() {
        return unknownPeerSockets != null && unknownPeerSockets.known().isChanged();
    }

    /** Updates the kernel's filter; packets that have already arrived stay in their socket. */
    public void steer() {
        if (unknownPeerSockets != null && !unknownPeerSockets.steer()) {
            trouble = "the kernel does not accept the BPF program that recognises peers";
        }
    }

    /** Whether a socket of unknown peers may have packets. For the waiting thread. */
    public boolean hasStrangers() {
        return unknownPeerSockets != null && unknownPeerSockets.haveSome();
    }

    /**
     * Receives some packets of unknown peers, some of each kind, and passes valid ones on. For the waiting thread, when it
     * holds the port.
     */
    public void receiveFromStrangers(PacketSink sink) {
        if (unknownPeerSockets == null) {
            return;
        }
        for (int door = 0; door < UnknownPeerSockets.count(); door++) {
            if (unknownPeerSockets.hasSome(door)) {
                int datagrams = reader.receive(unknownPeerSockets.arrivals(door), sink);
                counters.add(Counter.RECEIVED_FROM_STRANGERS, datagrams);
                if (datagrams == 0) {
                    unknownPeerSockets.watch(door);
                }
            }
        }
    }

    /**
     * How many datagrams the kernel has dropped because the buffer was full, without those of unknown peers; -1 if unknown.
     */
    public long droppedByKernel() {
        return io.drops();
    }

    /** How many packets have left without any copy of their payload: the kernel has referred to its pages. */
    public long spliced() {
        return io.spliced();
    }

    /** How many datagrams of unknown peers the kernel has dropped, if they have separate sockets. */
    public long droppedOfStrangers() {
        return unknownPeerSockets == null ? 0 : unknownPeerSockets.drops();
    }

    // ---- waiting

    /**
     * Waits until there is something to receive, until there is space while packets wait for it, until
     * {@link #wake}, or until the timeout; may return earlier spuriously. One thread at a time.
     *
     * @param timeoutNanos {@code Long.MAX_VALUE} for no limit
     */
    public void await(long timeoutNanos) {
        await(timeoutNanos, true);
    }

    /** The same, but another thread receives packets: they end no wait, and cost no wake-up. */
    public void awaitOther(long timeoutNanos) {
        await(timeoutNanos, false);
    }

    private void await(long timeoutNanos, boolean packets) {
        if (capture != null) {
            capture.flush();
        }
        io.await(timeoutNanos, packets, blocked);
    }

    /**
     * Makes {@link #await} run a callback whenever a descriptor becomes readable; the callback must be quick.
     *
     * @return false if this port's backend does not support it
     */
    public boolean watch(Fd fd, Runnable whenReadable) {
        return io.watch(fd, whenReadable);
    }

    /** Ends {@link #watch}; before the descriptor is closed. */
    public void unwatch(Fd fd) {
        io.unwatch(fd);
    }

    /** Ends a wait of another thread; if none waits, the next one ends at once. */
    public void wake() {
        io.wake();
    }

    /** Closes the port; unflushed packets are lost. No thread may be sending, receiving or waiting. */
    @Override
    public void close() {
        io.close();
    }

    @Override
    public String toString() {
        return "port " + port + " of " + address.getHostAddress() + " by " + opened.backend()
                + (reason.isEmpty() ? "" : " (" + reason + ")");
    }
}
