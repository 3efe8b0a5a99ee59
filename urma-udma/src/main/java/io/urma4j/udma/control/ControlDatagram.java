package io.urma4j.udma.control;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Layout of what a UD packet to QP 1 carries: the header of a management datagram, of a class that Linux has no agent
 * for and therefore ignores, and behind it our own fields and a body. The header is in network order as IBA has it, the
 * rest little endian as the core's messages.
 *
 * <pre>
 *    0  base version   u8   1
 *    1  class          u8   0x0B: for vendors
 *    2  class version  u8   1
 *    3  method         u8   3: send
 *    4  kind           u16  of datagram
 *    6  port           u16  UDP port where the sender takes answers
 *    8  number         u64  of the request; of a greeting: random
 *   16  zero           u32
 *   20  magic          u32  "URMA"
 *   24  to             u64  incarnation of the context that is meant
 *   32  from           u64  incarnation of the sender
 *   40  tag            u64  by which the receiver knows its peer; of greeting, challenge and echo: the cookie
 *   48  floor          u64  the sender has the answers to all requests with a smaller number; of UNKNOWN: 0 if the context
 *                           does not exist, 1 if it does not know the tag
 *   56  body                {@link Greeting}, {@link PeerMessage}, or the bytes of an echo
 * </pre>
 *
 * @param body from its position to its limit
 */
record ControlDatagram(Kind kind, int udpPort, long number, long to, long from, long tag, long floor, ByteBuffer body) {
    /** Maximum size of a datagram: every path carries it. */
    static final int MAX_BYTES = 1024;

    static final int HEADER_BYTES = 56;
    static final int MAX_BODY_BYTES = MAX_BYTES - HEADER_BYTES;

    /** Minimum size of a greeting, as of every management datagram, so that no answer is longer than it. */
    static final int MIN_GREETING_BYTES = 256;

    private static final int FIRST_WORD = 0x01_0B_01_03;
    private static final int MAGIC = 0x5552_4D41;

    private static final int KIND_AT = 4;
    private static final int PORT_AT = 6;
    private static final int NUMBER_AT = 8;
    private static final int MAGIC_AT = 20;
    private static final int TO_AT = 24;
    private static final int FROM_AT = 32;
    private static final int TAG_AT = 40;
    private static final int FLOOR_AT = 48;

    /** The kind of a datagram. */
    enum Kind {
        GREET(1),
        /** Requests to repeat the datagram with this cookie, which proves the sender's address. */
        CHALLENGE(2),
        WELCOME(3),
        /** The addressed context does not exist, or does not know the tag, which this repeats. */
        UNKNOWN(4),
        REQUEST(5),
        ANSWER(6),
        /** Asks a port, and no context in particular, to return the same body. */
        ECHO(7),
        ECHOED(8);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        private static @Nullable Kind of(int number) {
            for (Kind kind : values()) {
                if (kind.number == number) {
                    return kind;
                }
            }
            return null;
        }
    }

    /** The bytes of this datagram. */
    ByteBuffer encode() {
        int bytes = HEADER_BYTES + body.remaining();
        ByteBuffer all = ByteBuffer.allocate(kind == Kind.GREET ? Math.max(bytes, MIN_GREETING_BYTES) : bytes);
        all.putInt(FIRST_WORD).putShort((short) kind.number).putShort((short) udpPort);
        all.putLong(number).putInt(0).putInt(MAGIC);
        all.order(ByteOrder.LITTLE_ENDIAN)
                .putLong(to)
                .putLong(from)
                .putLong(tag)
                .putLong(floor);
        all.put(body.duplicate());
        return all.clear();
    }

    /** Parses a datagram; null for everything that {@link #encode} does not write. The body is not examined. */
    static @Nullable ControlDatagram decode(ByteBuffer bytes) {
        ByteBuffer all = bytes.slice();
        if (all.remaining() < HEADER_BYTES || all.remaining() > MAX_BYTES) {
            return null;
        }
        Kind kind = Kind.of(all.getShort(KIND_AT) & 0xFFFF);
        if (all.getInt(0) != FIRST_WORD || all.getInt(MAGIC_AT) != MAGIC || kind == null) {
            return null;
        }
        int udpPort = all.getShort(PORT_AT) & 0xFFFF;
        long number = all.getLong(NUMBER_AT);
        all.order(ByteOrder.LITTLE_ENDIAN);
        return new ControlDatagram(
                kind,
                udpPort,
                number,
                all.getLong(TO_AT),
                all.getLong(FROM_AT),
                all.getLong(TAG_AT),
                all.getLong(FLOOR_AT),
                all.position(HEADER_BYTES).slice());
    }
}
