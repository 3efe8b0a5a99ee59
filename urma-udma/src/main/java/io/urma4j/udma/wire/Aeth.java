package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;

/**
 * Acknowledgement extended header (WIRE §1.2, §4.4).
 *
 * <pre>
 *   0  syndrome  u8   7…5 kind, 4…0 its value
 *   1  MSN       u24  messages that the responder has completed
 * </pre>
 */
public final class Aeth {
    static final int BYTES = 4;

    /** An acknowledgement that promises no credits: there is no end-to-end flow control. */
    public static final int ACK = 0x1F;

    /** The same between urma4j peers. More has arrived, and is being placed: it need not be retransmitted. */
    public static final int ACK_PLACING = 0x1E;

    /** A PSN is missing. */
    public static final int NAK_SEQUENCE = 0x60;

    public static final int NAK_INVALID_REQUEST = 0x61;
    public static final int NAK_REMOTE_ACCESS = 0x62;
    public static final int NAK_REMOTE_OPERATION = 0x63;
    public static final int NAK_INVALID_RD_REQUEST = 0x64;

    /**
     * Inside an urma4j port, in place of {@link #NAK_REMOTE_ACCESS}: what was refused is the range of a WRITE_NOTIFY's value. A
     * packet has the latter, and {@link Bth#VALUE_REFUSED}.
     */
    public static final int NAK_VALUE_ACCESS = 0x6E;

    private static final int KIND_SHIFT = 5;
    private static final int VALUE_MASK = 0x1F;

    /** What a syndrome says. */
    public enum Kind {
        ACK,
        RNR_NAK,
        RESERVED,
        NAK
    }

    private static final Kind[] KINDS = Kind.values();

    private Aeth() {}

    public static int syndrome(NativeMemory packet, int at) {
        return Fields.u8(packet, at);
    }

    /** The syndrome of a NAK between urma4j peers, with what else it says about the refusal. */
    public static int refusal(int syndrome, int answeredTransmission) {
        boolean isOfValue = syndrome == NAK_REMOTE_ACCESS && answeredTransmission == Bth.VALUE_REFUSED;
        return isOfValue ? NAK_VALUE_ACCESS : syndrome;
    }

    public static int msn(NativeMemory packet, int at) {
        return Fields.u24(packet, at + 1);
    }

    /** The top bit is reserved, and not looked at. */
    public static Kind kind(int syndrome) {
        return KINDS[syndrome >>> KIND_SHIFT & 3];
    }

    /** An RNR NAK with a timer code, 0…31. */
    public static int rnrNak(int timerCode) {
        return 1 << KIND_SHIFT | timerCode;
    }

    /** The credit code of an ACK, the timer code of an RNR NAK, the reason of a NAK. */
    public static int value(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    public static void put(NativeMemory packet, int at, int syndrome, int msn) {
        Fields.u8u24(packet, at, syndrome, msn);
    }
}
