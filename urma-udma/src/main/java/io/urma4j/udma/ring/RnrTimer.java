package io.urma4j.udma.ring;

/** The wait of a sender that finds no receive work request: the codes of an RNR NAK (WIRE §4.4, IBTA 9.7.5.2.8). */
public final class RnrTimer {
    private static final long HUNDREDTH_MILLIS = 10_000; // nanoseconds

    /** By code, in hundredths of milliseconds; code 0 is the longest. */
    private static final int[] HUNDREDTHS = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768, 49152
    };

    private RnrTimer() {}

    /** The code of the shortest wait that is not shorter than that; the longest if there is none. */
    public static int code(long nanos) {
        for (int code = 1; code < HUNDREDTHS.length; code++) {
            if (HUNDREDTHS[code] * HUNDREDTH_MILLIS >= nanos) {
                return code;
            }
        }
        return 0;
    }

    /** The wait that a code requests, 0…31. */
    public static long nanos(int code) {
        return HUNDREDTHS[code] * HUNDREDTH_MILLIS;
    }
}
