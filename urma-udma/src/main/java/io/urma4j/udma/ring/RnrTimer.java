package io.urma4j.udma.ring;

/** The wait of a sender that finds no receive work request, by the code in an RNR NAK (WIRE §4.4, IBTA 9.7.5.2.8). */
public final class RnrTimer {
    private static final long[] NANOS = {
        655_360_000, 10_000, 20_000, 30_000, 40_000, 60_000, 80_000, 120_000,
        160_000, 240_000, 320_000, 480_000, 640_000, 960_000, 1_280_000, 1_920_000,
        2_560_000, 3_840_000, 5_120_000, 7_680_000, 10_240_000, 15_360_000, 20_480_000, 30_720_000,
        40_960_000, 61_440_000, 81_920_000, 122_880_000, 163_840_000, 245_760_000, 327_680_000, 491_520_000
    };

    /** The longest wait that there is a code for. */
    public static final long LONGEST_NANOS = NANOS[0];

    private RnrTimer() {}

    /** Of a timer code, 0…31. */
    public static long nanos(int timerCode) {
        return NANOS[timerCode];
    }

    /** The code of the shortest wait that is not shorter than that, which {@link #LONGEST_NANOS} is not. */
    public static int code(long nanos) {
        assert nanos <= LONGEST_NANOS : nanos;
        for (int code = 1; code < NANOS.length; code++) {
            if (NANOS[code] >= nanos) {
                return code;
            }
        }
        return 0;
    }
}
