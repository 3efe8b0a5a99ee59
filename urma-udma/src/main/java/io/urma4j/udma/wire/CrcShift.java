package io.urma4j.udma.wire;

/**
 * Runs the register of the reflected CRC-32 over bytes of zero, forwards and backwards: a multiplication by x<sup>8n</sup>
 * or x<sup>−8n</sup> modulo the polynomial, of which the factors are in tables (WIRE §8.5).
 */
final class CrcShift {
    private static final int POLYNOMIAL = 0xEDB8_8320;
    private static final int ONE = 0x8000_0000; // x⁰, reflected

    private static final int MORE_BYTES = 64; // headers of IP and UDP, and the eight bytes before them

    /** As many bytes as can lie behind the identification of a datagram of RoCE: one multiplication. */
    private static final int NEAR_BYTES = MORE_BYTES + Packet.MAX_ROCE_BYTES;

    /** For longer ones a second multiplication comes first, by a multiple of that many bytes. */
    private static final int STEP_BYTES = 4096;

    private static final int STEPS = (MORE_BYTES + Packet.MAX_BYTES) / STEP_BYTES;

    private static final int[] BACK = new int[NEAR_BYTES + 1];
    private static final int[] ON = new int[NEAR_BYTES + 1];
    private static final int[] BACK_STEPS = new int[STEPS + 1];
    private static final int[] ON_STEPS = new int[STEPS + 1];

    static {
        BACK[0] = ONE;
        ON[0] = ONE;
        for (int n = 1; n <= NEAR_BYTES; n++) {
            BACK[n] = backOneByte(BACK[n - 1]);
            ON[n] = onOneByte(ON[n - 1]);
        }
        BACK_STEPS[0] = ONE;
        ON_STEPS[0] = ONE;
        for (int n = 1; n <= STEPS; n++) {
            BACK_STEPS[n] = multiply(BACK_STEPS[n - 1], BACK[STEP_BYTES]);
            ON_STEPS[n] = multiply(ON_STEPS[n - 1], ON[STEP_BYTES]);
        }
    }

    private CrcShift() {}

    /** The register before that number of zero bytes. */
    static int back(int register, int bytes) {
        return bytes <= NEAR_BYTES
                ? multiply(register, BACK[bytes])
                : multiply(multiply(register, BACK_STEPS[bytes / STEP_BYTES]), BACK[bytes % STEP_BYTES]);
    }

    /** The register after that number of zero bytes. */
    static int on(int register, int bytes) {
        return bytes <= NEAR_BYTES
                ? multiply(register, ON[bytes])
                : multiply(multiply(register, ON_STEPS[bytes / STEP_BYTES]), ON[bytes % STEP_BYTES]);
    }

    private static int onOneByte(int register) {
        int after = register;
        for (int bit = 0; bit < Byte.SIZE; bit++) {
            after = after >>> 1 ^ (-(after & 1) & POLYNOMIAL);
        }
        return after;
    }

    private static int backOneByte(int register) {
        int before = register;
        for (int bit = 0; bit < Byte.SIZE; bit++) {
            // going forward shifts right, and a bit that falls out brings in the polynomial, whose top bit is set
            before = before < 0 ? (before ^ POLYNOMIAL) << 1 | 1 : before << 1;
        }
        return before;
    }

    /** Product of two polynomials, reflected: bit 31 is x⁰. */
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int rest = a; rest != 0; rest <<= 1) {
            product ^= rest >> 31 & shifted; // all ones when the bit is set
            shifted = shifted >>> 1 ^ (-(shifted & 1) & POLYNOMIAL);
        }
        return product;
    }
}
