package io.urma4j.shm.bounce;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Opcode;
import io.urma4j.spi.support.FragmentLane;
import java.lang.foreign.MemorySegment;

/**
 * What an importer asks of the home, as the payload of a slot in the message ring.
 *
 * <pre>
 *    0  grant     u64  number of the import at the home
 *    8  offset    u64  in the segment
 *   16  opcode    u32  WRITE, READ or an atomic
 *   20  length    u32  1…256 KiB; 4 or 8 for an atomic
 *   24  fragment  u32
 *   28  ticket    u32  differs from that of the request before with the same fragment
 *   32  operand   u64  of an atomic
 *   40  expected  u64  of a CAS
 * </pre>
 *
 * <p>Reused, by one thread at a time.
 */
public final class BounceRequest {
    /** Size of a request. */
    public static final int BYTES = 48;

    /** The opcode of its slot: not one of the API's. */
    public static final int SLOT_OPCODE = 0xF0;

    private static final long OFFSET = 8;
    private static final long OPCODE = 16;
    private static final long LENGTH = 20;
    private static final long FRAGMENT = 24;
    private static final long TICKET = 28;
    private static final long OPERAND = 32;
    private static final long EXPECTED = 40;

    static final int WRITE = Opcode.WRITE.value();
    static final int READ = Opcode.READ.value();

    long grant;
    long offset;
    int opcode;
    int lengthBytes;
    int fragment;
    int ticket;
    long operand;
    long expected;

    void write(MemorySegment to) {
        to.set(JAVA_LONG, 0, grant);
        to.set(JAVA_LONG, OFFSET, offset);
        to.set(JAVA_INT, OPCODE, opcode);
        to.set(JAVA_INT, LENGTH, lengthBytes);
        to.set(JAVA_INT, FRAGMENT, fragment);
        to.set(JAVA_INT, TICKET, ticket);
        to.set(JAVA_LONG, OPERAND, operand);
        to.set(JAVA_LONG, EXPECTED, expected);
    }

    /** The fragment of a request; it may be no fragment at all. */
    static int fragmentOf(MemorySegment from, long at) {
        return from.get(JAVA_INT, at + FRAGMENT);
    }

    /** Loads the rest of a request, each field once; false if no honest importer would send it. */
    boolean load(MemorySegment from, long at, int itsFragment) {
        grant = from.get(JAVA_LONG, at);
        offset = from.get(JAVA_LONG, at + OFFSET);
        opcode = from.get(JAVA_INT, at + OPCODE);
        lengthBytes = from.get(JAVA_INT, at + LENGTH);
        fragment = itsFragment;
        ticket = from.get(JAVA_INT, at + TICKET);
        operand = from.get(JAVA_LONG, at + OPERAND);
        expected = from.get(JAVA_LONG, at + EXPECTED);
        if (offset < 0 || offset > Long.MAX_VALUE - FragmentLane.MAX_FRAGMENT_BYTES) {
            return false;
        }
        if (opcode == WRITE || opcode == READ) {
            return lengthBytes > 0 && lengthBytes <= FragmentLane.MAX_FRAGMENT_BYTES;
        }
        return isAtomic() && (lengthBytes == Integer.BYTES || lengthBytes == Long.BYTES) && offset % lengthBytes == 0;
    }

    boolean isAtomic() {
        return opcode >= Opcode.CAS.value() && opcode <= Opcode.FXOR.value();
    }

    @Override
    public String toString() {
        return "request 0x" + Integer.toHexString(opcode) + " for " + lengthBytes + " bytes at " + offset + " of grant "
                + grant + ", fragment " + fragment;
    }
}
