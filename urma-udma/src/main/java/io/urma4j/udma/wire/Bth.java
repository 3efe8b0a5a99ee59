package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Base transport header: begins each packet (WIRE §1.1).
 *
 * <pre>
 *   0  opcode   u8
 *   1  flags    7 solicited event, 6 migration (ours, of a RESYNC: it begins its message), 5…4 pad count,
 *               3…0 transport version
 *   2  P_Key    u16
 *   4  notices  7 FECN, 6 BECN, 5…0 reserved; not covered by the ICRC
 *   5  dest QP  u24
 *   8  ack      7 acknowledgement asked for; ours, reserved in RoCE: 6 host was late, 5…3 transmission of a request,
 *               2…0 transmission that is answered
 *   9  PSN      u24
 * </pre>
 */
public final class Bth {
    public static final int BYTES = 12;

    /** The only partition that Linux knows, and its full member's bit. */
    public static final int DEFAULT_P_KEY = 0xFFFF;

    private static final int PARTITION_MASK = 0x7FFF;

    /** Largest QP number, PSN, and everything else of 24 bits. */
    public static final int MAX_24 = 0xFF_FFFF;

    private static final int FLAGS = 1;
    private static final int P_KEY = 2;
    private static final int DEST_QP = 5;
    private static final int ACK = 8;
    private static final int PSN = 9;

    /** Where the byte lies that the ICRC does not cover. */
    static final int NOTICES = 4;

    private static final int SOLICITED_BIT = 0x80;
    private static final int MIGRATION_BIT = 0x40;
    private static final int PAD_SHIFT = 4;
    private static final int VERSION_MASK = 0x0F;
    private static final int FECN_BIT = 0x80;
    private static final int BECN_BIT = 0x40;
    private static final int ACK_BIT = 0x80;
    private static final int LATE_BIT = 0x40;
    private static final int TRANSMISSION_SHIFT = 3;
    private static final int TRANSMISSION_MASK = 7;

    /** In place of a transmission: which one it is, or which one is answered, is not told. */
    public static final int NO_TRANSMISSION = 0;

    /** In place of the transmission that is answered, in a NAK of a WRITE_NOTIFY: the range of its value was refused. */
    public static final int VALUE_REFUSED = 1;

    /** The first transmission of a packet. */
    public static final int FIRST_TRANSMISSION = 1;

    private Bth() {}

    public static int opcode(NativeMemory packet) {
        return opcodeAt(packet, 0);
    }

    /** The same of a packet that begins there. */
    public static int opcodeAt(NativeMemory bytes, int at) {
        return Fields.u8(bytes, at);
    }

    public static boolean isSolicited(NativeMemory packet) {
        return (Fields.u8(packet, FLAGS) & SOLICITED_BIT) != 0;
    }

    /** Bytes of zero behind the payload, 0…3. */
    public static int padCount(NativeMemory packet) {
        return padCountAt(packet, 0);
    }

    /** The same of a packet that begins there. */
    static int padCountAt(NativeMemory bytes, int at) {
        return Fields.u8(bytes, at + FLAGS) >>> PAD_SHIFT & 3;
    }

    /** Of a packet that begins there. */
    static int transportVersionAt(NativeMemory bytes, int at) {
        return Fields.u8(bytes, at + FLAGS) & VERSION_MASK;
    }

    /**
     * Whether the packet is of the default partition. A limited member may send it, since this end is a full member (IBTA
     * 10.9.3, WIRE §7).
     */
    static boolean isOfOurPartition(NativeMemory bytes, int packetAt) {
        return (Fields.u16(bytes, packetAt + P_KEY) & PARTITION_MASK) == (DEFAULT_P_KEY & PARTITION_MASK);
    }

    public static int partitionKey(NativeMemory packet) {
        return Fields.u16(packet, P_KEY);
    }

    /** Congestion was met on the way here. */
    public static boolean isForwardNotice(NativeMemory packet) {
        return (Fields.u8(packet, NOTICES) & FECN_BIT) != 0;
    }

    /** Congestion was met on our own way there: what a CNP says. */
    public static boolean isBackwardNotice(NativeMemory packet) {
        return (Fields.u8(packet, NOTICES) & BECN_BIT) != 0;
    }

    public static int destinationQp(NativeMemory packet) {
        return destinationQpAt(packet, 0);
    }

    /** The same of a packet that begins there. */
    public static int destinationQpAt(NativeMemory bytes, int at) {
        return Fields.u24(bytes, at + DEST_QP);
    }

    public static boolean asksForAcknowledgement(NativeMemory packet) {
        return (Fields.u8(packet, ACK) & ACK_BIT) != 0;
    }

    /** Of an answer between peers of urma4j: what it answers has waited in the host before it was looked at. */
    public static boolean isLate(NativeMemory packet) {
        return (Fields.u8(packet, ACK) & LATE_BIT) != 0;
    }

    /** Which transmission follows one: 1, then 2 to 7, and 2 again. */
    public static int nextTransmission(int transmission) {
        return transmission == TRANSMISSION_MASK ? FIRST_TRANSMISSION + 1 : transmission + 1;
    }

    /** Of a request between peers of urma4j: which transmission of it this is, or {@link #NO_TRANSMISSION}. */
    public static int transmission(NativeMemory packet) {
        return Fields.u8(packet, ACK) >>> TRANSMISSION_SHIFT & TRANSMISSION_MASK;
    }

    /** Of an answer between peers of urma4j: which transmission it answers, or {@link #NO_TRANSMISSION}. */
    public static int answeredTransmission(NativeMemory packet) {
        return Fields.u8(packet, ACK) & TRANSMISSION_MASK;
    }

    public static int psn(NativeMemory packet) {
        return Fields.u24(packet, PSN);
    }

    /**
     * Writes all of it.
     *
     * @param flags {@link #solicits} or 0
     * @param ack bits of {@link #asks}, {@link #transmits}, {@link #answers} and {@link #waited}
     */
    public static void put(NativeMemory packet, int opcode, int flags, int destinationQp, int ack, int psn) {
        Fields.u32u8u24(packet, 0, opcode << 24 | flags << 16 | DEFAULT_P_KEY, 0, destinationQp);
        Fields.u8u24(packet, ACK, ack, psn);
    }

    /** Flags of a message that asks for an event. */
    public static int solicits(boolean isSolicited) {
        return isSolicited ? SOLICITED_BIT : 0;
    }

    /** The bit of a packet that asks for an acknowledgement. */
    public static int asks(boolean asksForAcknowledgement) {
        return asksForAcknowledgement ? ACK_BIT : 0;
    }

    /** The bits that tell an urma4j peer which {@link #transmission} a request is. */
    public static int transmits(int transmission) {
        return transmission << TRANSMISSION_SHIFT;
    }

    /** The bits that tell an urma4j peer which {@linkplain #answeredTransmission transmission} is answered. */
    public static int answers(int transmission) {
        return transmission;
    }

    /** The bit of an answer that is {@linkplain #isLate late}. */
    public static int waited(boolean isLate) {
        return isLate ? LATE_BIT : 0;
    }

    public static void solicit(NativeMemory packet) {
        Fields.u8(packet, FLAGS, Fields.u8(packet, FLAGS) | SOLICITED_BIT);
    }

    /** Of a RESYNC on a shared connection: it replaces the first packet of its message. Some network cards always set it. */
    public static boolean beginsMessage(NativeMemory packet) {
        return (Fields.u8(packet, FLAGS) & MIGRATION_BIT) != 0;
    }

    /** Marks a RESYNC as the first packet of its message. */
    public static void markFirst(NativeMemory packet) {
        Fields.u8(packet, FLAGS, Fields.u8(packet, FLAGS) | MIGRATION_BIT);
    }

    static void padCount(NativeMemory packet, int bytes) {
        Fields.u8(packet, FLAGS, Fields.u8(packet, FLAGS) & ~(3 << PAD_SHIFT) | bytes << PAD_SHIFT);
    }

    public static void partitionKey(NativeMemory packet, int key) {
        Fields.u16(packet, P_KEY, key);
    }

    /** Says that congestion was met: on the way here, or on the way there. */
    public static void notice(NativeMemory packet, boolean forward, boolean backward) {
        Fields.u8(packet, NOTICES, (forward ? FECN_BIT : 0) | (backward ? BECN_BIT : 0));
    }

    /** Says whether congestion was met on the way here, and leaves the rest as it is. */
    public static void forwardNotice(NativeMemory packet, boolean forward) {
        int notices = Fields.u8(packet, NOTICES);
        int wanted = forward ? notices | FECN_BIT : notices & ~FECN_BIT;
        if (wanted != notices) {
            Fields.u8(packet, NOTICES, wanted);
        }
    }

    /** Adds to the bits beside the PSN. */
    public static void addAck(NativeMemory packet, int ack) {
        Fields.u8(packet, ACK, Fields.u8(packet, ACK) | ack);
    }
}
