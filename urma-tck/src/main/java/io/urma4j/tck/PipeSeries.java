package io.urma4j.tck;

import java.util.SplittableRandom;

/**
 * Messages that a seed determines, so that both ends of a pipe know them: most are short, and some as long as they may be.
 *
 * @param longestBytes of a message
 */
public record PipeSeries(long seed, int longestBytes) {
    private static final int SHORT_BYTES = 130; // up to three lines

    /** The message with this number. */
    byte[] message(int number) {
        SplittableRandom random = new SplittableRandom(seed + 31L * number);
        int lengthBytes = random.nextInt(8) > 0
                ? random.nextInt(Math.min(SHORT_BYTES, longestBytes + 1))
                : random.nextInt(longestBytes + 1);
        return new Payload(seed).bytes(number, lengthBytes);
    }
}
