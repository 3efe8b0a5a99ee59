package io.urma4j.udma.udp;

import io.urma4j.libc.Errno;
import io.urma4j.udma.wire.Drop;
import java.util.function.ObjLongConsumer;

/** The counters of a port. Only the port's owner writes them; other threads may read slightly old values. */
public final class PortCounters {
    private long sentPackets;
    private long sentBytes;
    private long sentDatagrams;
    private long blocked;
    private long tooLongForRoute;
    private long unreachable;
    private long addressGone;
    private long noBuffers;
    private long refused;
    private long receivedPackets;
    private long receivedBytes;
    private long receivedDatagrams;
    private long marked;
    private long ofStrangers;
    private long receiveErrors;
    private long tooShort;
    private long unknownOpcode;
    private long cut;
    private long tooLong;
    private long transportVersion;
    private long partition;
    private long bundle;
    private long icrc;
    private long noSecret;
    private long onPurpose;

    PortCounters() {}

    void sent(int packets, long bytes) {
        sentDatagrams++;
        sentPackets += packets;
        sentBytes += bytes;
    }

    /** The socket was full. */
    void blocked() {
        blocked++;
    }

    /** A datagram of this many packets could not leave, and is dropped as the network would drop it. */
    void notSent(int errno, int packets) {
        switch (errno) {
            case Errno.EMSGSIZE -> tooLongForRoute += packets;
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.ECONNREFUSED -> unreachable += packets;
            case Errno.EADDRNOTAVAIL, Errno.EINVAL -> addressGone += packets;
            case Errno.ENOBUFS, Errno.ENOMEM -> noBuffers += packets;
            default -> refused += packets;
        }
    }

    void received(int datagrams) {
        receivedDatagrams += datagrams;
    }

    void receivedFromStrangers(int datagrams) {
        ofStrangers += datagrams;
    }

    void good(int bytes) {
        receivedPackets++;
        receivedBytes += bytes;
    }

    /** A received packet had been marked on the path for congestion. */
    void marked() {
        marked++;
    }

    void notReceived() {
        receiveErrors++;
    }

    void dropped(Drop reason) {
        switch (reason) {
            case TOO_SHORT -> tooShort++;
            case UNKNOWN_OPCODE -> unknownOpcode++;
            case CUT -> cut++;
            case TOO_LONG -> tooLong++;
            case TRANSPORT_VERSION -> transportVersion++;
            case PARTITION -> partition++;
            case BUNDLE -> bundle++;
            case ICRC -> icrc++;
            case NO_SECRET -> noSecret++;
            case ON_PURPOSE -> onPurpose++;
        }
    }

    public long sentPackets() {
        return sentPackets;
    }

    /** For the kernel: several packets that it splits itself are one. */
    public long sentDatagrams() {
        return sentDatagrams;
    }

    /** Packets passed to the card. */
    public long receivedPackets() {
        return receivedPackets;
    }

    /** Of these, packets that a switch on the path has marked for congestion; 0 unless the port uses ECN. */
    public long receivedMarked() {
        return marked;
    }

    public long receivedDatagrams() {
        return receivedDatagrams;
    }

    /** Of these, packets of unknown peers, if these have separate sockets. */
    public long receivedFromStrangers() {
        return ofStrangers;
    }

    public long droppedForIcrc() {
        return icrc;
    }

    /** Packets from a urma4j peer's address and port whose ICRC lacks the shared secret. */
    public long droppedForNoSecret() {
        return noSecret;
    }

    /** Packets that could not leave, whatever the reason. */
    public long notSent() {
        return tooLongForRoute + unreachable + addressGone + noBuffers + refused;
    }

    /** Of these, packets longer than the path MTU that the kernel knows. */
    public long tooLongForRoute() {
        return tooLongForRoute;
    }

    /** Received packets that were dropped, whatever the reason. */
    public long dropped() {
        return tooShort
                + unknownOpcode
                + cut
                + tooLong
                + transportVersion
                + partition
                + bundle
                + icrc
                + noSecret
                + onPurpose;
    }

    /** Names and values, in display order. */
    public void forEach(ObjLongConsumer<String> reader) {
        reader.accept("sent_packets", sentPackets);
        reader.accept("sent_bytes", sentBytes);
        reader.accept("sent_datagrams", sentDatagrams);
        reader.accept("send_blocked", blocked);
        reader.accept("send_too_long_for_route", tooLongForRoute);
        reader.accept("send_unreachable", unreachable);
        reader.accept("send_address_gone", addressGone);
        reader.accept("send_no_buffers", noBuffers);
        reader.accept("send_refused", refused);
        reader.accept("received_packets", receivedPackets);
        reader.accept("received_bytes", receivedBytes);
        reader.accept("received_datagrams", receivedDatagrams);
        reader.accept("received_marked", marked);
        reader.accept("received_from_strangers", ofStrangers);
        reader.accept("receive_errors", receiveErrors);
        reader.accept("dropped_too_short", tooShort);
        reader.accept("dropped_unknown_opcode", unknownOpcode);
        reader.accept("dropped_cut", cut);
        reader.accept("dropped_too_long", tooLong);
        reader.accept("dropped_transport_version", transportVersion);
        reader.accept("dropped_partition", partition);
        reader.accept("dropped_bundle", bundle);
        reader.accept("dropped_icrc", icrc);
        reader.accept("dropped_no_secret", noSecret);
        reader.accept("dropped_on_purpose", onPurpose);
    }
}
