package io.urma4j.libc;

/** Options of a {@link UdpSocket}. Those named FORCE need CAP_NET_ADMIN and pass the limits that the others have. */
public enum UdpOption {
    SEND_BUFFER(1, 7),
    RECEIVE_BUFFER(1, 8),
    SEND_BUFFER_FORCE(1, 32),
    RECEIVE_BUFFER_FORCE(1, 33),
    /** Further sockets of the same user may have the same port, when they say so as well: see {@link UdpSocket#steer}. */
    SHARE_PORT(1, 15),
    /** Traffic class of what is sent, whose two low bits are those of ECN; {@link UdpMessages#trafficClass(int, int)} sets it singly. */
    IPV4_TRAFFIC_CLASS(0, 1),
    IPV6_TRAFFIC_CLASS(41, 67),
    /** Tell the traffic class of what is received: {@link UdpMessages#trafficClass}. */
    IPV4_TELL_TRAFFIC_CLASS(0, 13),
    IPV6_TELL_TRAFFIC_CLASS(41, 66),
    /** What to do with a datagram that is longer than the MTU: {@link #NEVER_FRAGMENT}. */
    IPV4_MTU_DISCOVER(0, 10),
    IPV6_MTU_DISCOVER(41, 23),
    /** The longest IP packet on the route of a connected socket; to be read only. */
    IPV4_MTU(0, 14),
    IPV6_MTU(41, 24),
    IPV6_ONLY(41, 26),
    /** Whether what is sent is collected into one datagram; to end that sends it: {@link UdpSocket#abandon}. */
    CORK(17, 1),
    /** Accept datagrams without a checksum over IPv6 too. */
    NO_CHECKSUM_IPV6_RECEIVE(17, 102),
    /** Bytes at which each datagram sent is cut into several; 0 for none. {@link UdpMessages#segment} does it singly. */
    SEGMENT(17, 103),
    /** Hand over several datagrams of one sender as one, and tell where to cut it. */
    COALESCE(17, 104);

    /** Value of the two MTU options: refuse it, and forbid fragmentation in every packet (DF). */
    public static final int NEVER_FRAGMENT = 2;

    /** Value of the two traffic classes, Not-ECT: a router that wants to say that there is congestion drops it. */
    public static final int NOT_ECN_CAPABLE = 0;

    /** Value of the two traffic classes, ECT(0): its sender slows down when a router has marked it. */
    public static final int ECN_CAPABLE = 2;

    /** A traffic class whose bits of ECN are these was marked on the way, CE: there was congestion. */
    public static final int ECN_MARKED = 3;

    private final int level;
    private final int number;

    UdpOption(int level, int number) {
        this.level = level;
        this.number = number;
    }

    int level() {
        return level;
    }

    int number() {
        return number;
    }
}
