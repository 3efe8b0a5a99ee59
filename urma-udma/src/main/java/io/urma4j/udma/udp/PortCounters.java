package io.urma4j.udma.udp;

import io.urma4j.libc.Errno;
import io.urma4j.udma.wire.Drop;

/** The counters of a port. Only the port's owner writes them; other threads may read slightly old values. */
@SuppressWarnings("EnumOrdinal") // the enumerations number the slots of arrays: to count allocates nothing
public final class PortCounters {
    /** What is counted beside the {@linkplain Drop drops}. */
    public enum Counter {
        SENT_PACKETS,
        SENT_BYTES,
        /** For the kernel: several packets that it splits itself are one. */
        SENT_DATAGRAMS,
        /** Packets whose payload the kernel took from the memory where it lay, without a copy before. */
        SENT_GATHERED,
        /** The socket was full. */
        SEND_BLOCKED,
        /** Packets longer than the path takes, whose MTU has shrunk; their peers get the next ones in fragments. */
        SEND_NARROWED,
        /** Packets longer than the path MTU that the kernel knows; these and the next four could not leave. */
        SEND_TOO_LONG_FOR_ROUTE,
        SEND_UNREACHABLE,
        SEND_ADDRESS_GONE,
        SEND_NO_BUFFERS,
        SEND_REFUSED,
        /** Packets passed to the card. */
        RECEIVED_PACKETS,
        RECEIVED_BYTES,
        RECEIVED_DATAGRAMS,
        /** Packets that a switch on the path has marked for congestion; 0 unless the port uses ECN. */
        RECEIVED_MARKED,
        /** Datagrams of unknown peers, if these have separate sockets. */
        RECEIVED_FROM_STRANGERS,
        RECEIVE_ERRORS
    }

    private final long[] counts = new long[Counter.values().length];
    private final long[] drops = new long[Drop.values().length];

    PortCounters() {}

    void add(Counter counter, long more) {
        counts[counter.ordinal()] += more;
    }

    void add(Drop reason) {
        drops[reason.ordinal()]++;
    }

    /** A datagram of this many packets could not leave, and is dropped as the network would drop it. */
    void notSent(int errno, int packets) {
        Counter reason = switch (errno) {
            case Errno.EMSGSIZE -> Counter.SEND_TOO_LONG_FOR_ROUTE;
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.ECONNREFUSED -> Counter.SEND_UNREACHABLE;
            case Errno.EADDRNOTAVAIL, Errno.EINVAL -> Counter.SEND_ADDRESS_GONE;
            case Errno.ENOBUFS, Errno.ENOMEM -> Counter.SEND_NO_BUFFERS;
            default -> Counter.SEND_REFUSED;
        };
        add(reason, packets);
    }

    public long count(Counter counter) {
        return counts[counter.ordinal()];
    }

    long count(Drop reason) {
        return drops[reason.ordinal()];
    }

    /** Packets from a urma4j peer's address and port whose ICRC lacks the shared secret. */
    public long droppedForNoSecret() {
        return count(Drop.NO_SECRET);
    }

    /** Packets with a wrong ICRC: corrupted or forged, or of a path on which addresses or ports are translated. */
    public long droppedForIcrc() {
        return count(Drop.ICRC);
    }

    /** Packets of partitions that this end is no member of. */
    public long droppedForPartition() {
        return count(Drop.PARTITION);
    }

    /** Packets that the simulated loss took. */
    public long droppedOnPurpose() {
        return count(Drop.ON_PURPOSE);
    }

    /** Packets that are none of RoCE or of urma4j: cut, too long, of another version or an unknown opcode. */
    public long droppedAsMalformed() {
        return dropped() - droppedForNoSecret() - droppedForIcrc() - droppedForPartition() - droppedOnPurpose();
    }

    /** Packets that could not leave, whatever the reason. */
    public long notSent() {
        long all = 0;
        for (int i = Counter.SEND_TOO_LONG_FOR_ROUTE.ordinal(); i <= Counter.SEND_REFUSED.ordinal(); i++) {
            all += counts[i];
        }
        return all;
    }

    /** Received packets that were dropped, whatever the reason. */
    long dropped() {
        long all = 0;
        for (long count : drops) {
            all += count;
        }
        return all;
    }
}
