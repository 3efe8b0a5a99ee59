package io.urma4j.udma.wire;

import static io.urma4j.udma.wire.Header.ACK_ETH;
import static io.urma4j.udma.wire.Header.AETH;
import static io.urma4j.udma.wire.Header.ATOMIC_ACK_ETH;
import static io.urma4j.udma.wire.Header.ATOMIC_ETH;
import static io.urma4j.udma.wire.Header.ATOMIC_KIND;
import static io.urma4j.udma.wire.Header.DETH;
import static io.urma4j.udma.wire.Header.FETH;
import static io.urma4j.udma.wire.Header.FRAGMENT_ETH;
import static io.urma4j.udma.wire.Header.IETH;
import static io.urma4j.udma.wire.Header.IMM_64;
import static io.urma4j.udma.wire.Header.IMM_DT;
import static io.urma4j.udma.wire.Header.NOTIFY_ETH;
import static io.urma4j.udma.wire.Header.RDETH;
import static io.urma4j.udma.wire.Header.RETH;
import static io.urma4j.udma.wire.Header.XRCETH;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opcodes of the BTH: the upper three bits name a transport, the others an operation; both together say which headers
 * follow (WIRE §2). Tables have the names, the headers and their offsets.
 */
public final class Opcodes {
    // transports
    public static final int RC = 0x00;
    public static final int UC = 0x20;
    public static final int RD = 0x40;
    public static final int UD = 0x60;
    public static final int XRC = 0xA0;

    // between urma4j peers, of the manufacturer's opcodes (docs/wire-extensions.md)
    public static final int OURS_RC = 0xC0;
    public static final int OURS_RD = 0xE0;

    /** A datagram with 64 bits of immediate. */
    public static final int UD_SEND_ONLY_IMM64 = OURS_RC | 0x1D;

    /** Short packets of connections in one: {@link Bundle}. */
    public static final int BUNDLE = OURS_RC | 0x1E;

    /** A part of a packet that is too long for the path: {@link FragmentEth}. */
    public static final int FRAGMENT = OURS_RC | 0x1F;

    // operations
    public static final int SEND_FIRST = 0x00;
    public static final int SEND_MIDDLE = 0x01;
    public static final int SEND_LAST = 0x02;
    public static final int SEND_LAST_IMM = 0x03;
    public static final int SEND_ONLY = 0x04;
    public static final int SEND_ONLY_IMM = 0x05;
    public static final int WRITE_FIRST = 0x06;
    public static final int WRITE_MIDDLE = 0x07;
    public static final int WRITE_LAST = 0x08;
    public static final int WRITE_LAST_IMM = 0x09;
    public static final int WRITE_ONLY = 0x0A;
    public static final int WRITE_ONLY_IMM = 0x0B;
    public static final int READ_REQUEST = 0x0C;
    public static final int READ_RESPONSE_FIRST = 0x0D;
    public static final int READ_RESPONSE_MIDDLE = 0x0E;
    public static final int READ_RESPONSE_LAST = 0x0F;
    public static final int READ_RESPONSE_ONLY = 0x10;
    public static final int ACKNOWLEDGE = 0x11;
    public static final int ATOMIC_ACKNOWLEDGE = 0x12;
    public static final int COMPARE_SWAP = 0x13;
    public static final int FETCH_ADD = 0x14;
    public static final int RESYNC = 0x15; // of RD alone
    public static final int SEND_LAST_INVALIDATE = 0x16;
    public static final int SEND_ONLY_INVALIDATE = 0x17;
    public static final int FLUSH = 0x1C;
    public static final int ATOMIC_WRITE = 0x1D;

    // operations of ours; they have the numbers of those that they resemble
    public static final int SEND_LAST_IMM64 = 0x03;
    public static final int SEND_ONLY_ACK = 0x04;
    public static final int SEND_ONLY_IMM64 = 0x05;
    public static final int WRITE_ONLY_ACK = 0x06; // its operation is that of a WRITE_ONLY, whose number others have
    public static final int WRITE_LAST_NOTIFY = 0x08;
    public static final int WRITE_LAST_IMM64 = 0x09;
    public static final int WRITE_ONLY_NOTIFY = 0x0A;
    public static final int WRITE_ONLY_IMM64 = 0x0B;
    public static final int READ_RESPONSE_MIDDLE_AETH = 0x0E;
    public static final int SELECTIVE_ACK = 0x11;
    public static final int ATOMIC = 0x13;

    /** Congestion notification: one opcode, of no transport. */
    public static final int CNP = 0x81;

    private static final int TRANSPORT_MASK = 0xE0;
    private static final int OPERATION_MASK = 0x1F;

    private static final @Nullable String[] NAMES = new String[256];
    private static final int[] HEADERS = new int[256]; // bits of Header
    private static final int[] OFFSETS = new int[256 * Header.COUNT]; // from the start of the BTH
    private static final int[] HEADER_BYTES = new int[256];
    private static final int[] OPERATION = new int[256];

    private record Operation(int number, String name, List<Header> headers) {
        Operation(int number, String name, Header... headers) {
            this(number, name, List.of(headers));
        }

        /** Of reliable datagrams: what is in front of its headers. */
        List<Header> before() {
            return isResponse(number) ? List.of(RDETH) : List.of(RDETH, DETH);
        }
    }

    private static final List<Operation> OPERATIONS = List.of(
            new Operation(SEND_FIRST, "SEND_FIRST"),
            new Operation(SEND_MIDDLE, "SEND_MIDDLE"),
            new Operation(SEND_LAST, "SEND_LAST"),
            new Operation(SEND_LAST_IMM, "SEND_LAST_IMM", IMM_DT),
            new Operation(SEND_ONLY, "SEND_ONLY"),
            new Operation(SEND_ONLY_IMM, "SEND_ONLY_IMM", IMM_DT),
            new Operation(WRITE_FIRST, "WRITE_FIRST", RETH),
            new Operation(WRITE_MIDDLE, "WRITE_MIDDLE"),
            new Operation(WRITE_LAST, "WRITE_LAST"),
            new Operation(WRITE_LAST_IMM, "WRITE_LAST_IMM", IMM_DT),
            new Operation(WRITE_ONLY, "WRITE_ONLY", RETH),
            new Operation(WRITE_ONLY_IMM, "WRITE_ONLY_IMM", RETH, IMM_DT),
            new Operation(READ_REQUEST, "READ_REQUEST", RETH),
            new Operation(READ_RESPONSE_FIRST, "READ_RESPONSE_FIRST", AETH),
            new Operation(READ_RESPONSE_MIDDLE, "READ_RESPONSE_MIDDLE"),
            new Operation(READ_RESPONSE_LAST, "READ_RESPONSE_LAST", AETH),
            new Operation(READ_RESPONSE_ONLY, "READ_RESPONSE_ONLY", AETH),
            new Operation(ACKNOWLEDGE, "ACKNOWLEDGE", AETH),
            new Operation(ATOMIC_ACKNOWLEDGE, "ATOMIC_ACKNOWLEDGE", AETH, ATOMIC_ACK_ETH),
            new Operation(COMPARE_SWAP, "COMPARE_SWAP", ATOMIC_ETH),
            new Operation(FETCH_ADD, "FETCH_ADD", ATOMIC_ETH),
            new Operation(RESYNC, "RESYNC"),
            new Operation(SEND_LAST_INVALIDATE, "SEND_LAST_INVALIDATE", IETH),
            new Operation(SEND_ONLY_INVALIDATE, "SEND_ONLY_INVALIDATE", IETH),
            new Operation(FLUSH, "FLUSH", FETH, RETH),
            new Operation(ATOMIC_WRITE, "ATOMIC_WRITE", RETH));

    private static final List<Operation> OURS = List.of(
            new Operation(SEND_LAST_IMM64, "SEND_LAST_IMM64", IMM_64),
            new Operation(SEND_ONLY_ACK, "SEND_ONLY_ACK", ACK_ETH),
            new Operation(SEND_ONLY_IMM64, "SEND_ONLY_IMM64", IMM_64),
            new Operation(WRITE_ONLY_ACK, "WRITE_ONLY_ACK", RETH, ACK_ETH),
            new Operation(WRITE_LAST_NOTIFY, "WRITE_LAST_NOTIFY", NOTIFY_ETH),
            new Operation(WRITE_LAST_IMM64, "WRITE_LAST_IMM64", IMM_64),
            new Operation(WRITE_ONLY_NOTIFY, "WRITE_ONLY_NOTIFY", RETH, NOTIFY_ETH),
            new Operation(WRITE_ONLY_IMM64, "WRITE_ONLY_IMM64", RETH, IMM_64),
            new Operation(READ_RESPONSE_MIDDLE_AETH, "READ_RESPONSE_MIDDLE_AETH", AETH),
            new Operation(SELECTIVE_ACK, "SELECTIVE_ACK", AETH),
            new Operation(ATOMIC, "ATOMIC", ATOMIC_ETH, ATOMIC_KIND),
            new Operation(RESYNC, "RESYNC"),
            new Operation(SEND_LAST_INVALIDATE, "SEND_LAST_INVALIDATE", IETH),
            new Operation(SEND_ONLY_INVALIDATE, "SEND_ONLY_INVALIDATE", IETH));

    static {
        Arrays.setAll(OPERATION, opcode -> opcode & OPERATION_MASK);
        OPERATION[OURS_RC | WRITE_ONLY_ACK] = WRITE_ONLY;
        OPERATION[OURS_RD | WRITE_ONLY_ACK] = WRITE_ONLY;
        for (Operation operation : OPERATIONS) {
            int number = operation.number;
            if (number != RESYNC) {
                define(RC, "RC", operation, List.of());
            }
            if (number <= WRITE_ONLY_IMM) {
                define(UC, "UC", operation, List.of());
            }
            if (number <= RESYNC) {
                define(RD, "RD", operation, operation.before());
            }
            if (number == SEND_ONLY || number == SEND_ONLY_IMM) {
                define(UD, "UD", operation, List.of(DETH));
            }
            if (number <= SEND_ONLY_INVALIDATE && number != RESYNC) {
                define(XRC, "XRC", operation, isResponse(number) ? List.of() : List.of(XRCETH));
            }
        }
        for (Operation operation : OURS) {
            define(OURS_RC, "RC", operation, List.of());
            define(OURS_RD, "RD", operation, operation.before());
        }
        define(UD_SEND_ONLY_IMM64, "UD SEND_ONLY_IMM64", List.of(DETH, IMM_64));
        define(BUNDLE, "BUNDLE", List.of());
        define(FRAGMENT, "FRAGMENT", List.of(FRAGMENT_ETH));
        define(CNP, "CNP", List.of());
    }

    private Opcodes() {}

    private static void define(int transport, String name, Operation operation, List<Header> before) {
        List<Header> headers = new ArrayList<>(before);
        headers.addAll(operation.headers);
        define(transport | operation.number, name + " " + operation.name, headers);
    }

    private static void define(int opcode, String name, List<Header> headers) {
        NAMES[opcode] = name;
        int at = Bth.BYTES;
        for (Header header : headers) {
            HEADERS[opcode] |= header.bit();
            OFFSETS[opcode * Header.COUNT + header.index()] = at;
            at += header.lengthBytes();
        }
        HEADER_BYTES[opcode] = at;
    }

    /** Whether it is a manufacturer opcode of urma4j. */
    public static boolean isOurs(int opcode) {
        return opcode >= OURS_RC;
    }

    /** Whether the opcode means something to us. */
    public static boolean isKnown(int opcode) {
        return HEADER_BYTES[opcode] > 0;
    }

    /** Whether its packet is one of a connection between peers of urma4j, and may be in a {@link Bundle} or in fragments. */
    static boolean isOfConnection(int opcode) {
        boolean isOfShared = has(opcode, Header.RDETH);
        boolean isOfOwn = transport(opcode) == RC || transport(opcode) == OURS_RC && !has(opcode, Header.DETH);
        return isKnown(opcode) && opcode != BUNDLE && opcode != FRAGMENT && (isOfShared || isOfOwn);
    }

    /** Such as "RC SEND_ONLY"; in hexadecimal digits when it is not known. */
    public static String name(int opcode) {
        String name = NAMES[opcode];
        return name == null ? String.format("0x%02X", opcode) : name;
    }

    /** The transport's bits; means nothing for {@link #CNP}. */
    public static int transport(int opcode) {
        return opcode & TRANSPORT_MASK;
    }

    /** What it does: the operation's bits, but for {@link #WRITE_ONLY_ACK}. */
    public static int operation(int opcode) {
        return OPERATION[opcode];
    }

    public static boolean has(int opcode, Header header) {
        return (HEADERS[opcode] & header.bit()) != 0;
    }

    /** Where the header begins, from the start of the BTH; the opcode has it. */
    public static int offset(int opcode, Header header) {
        assert has(opcode, header) : name(opcode) + " has no " + header;
        return OFFSETS[opcode * Header.COUNT + header.index()];
    }

    /** Bytes of the BTH and all headers of a known opcode. */
    public static int headerBytes(int opcode) {
        return HEADER_BYTES[opcode];
    }

    /** Whether a responder sends it. */
    public static boolean isResponse(int opcode) {
        int operation = operation(opcode);
        return opcode != CNP && operation >= READ_RESPONSE_FIRST && operation <= ATOMIC_ACKNOWLEDGE;
    }
}
