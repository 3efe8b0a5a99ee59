package io.urma4j.bench.gpu;

import io.urma4j.bench.Loop;
import io.urma4j.bench.Timed;

/** Copies between host and device, one at a time, each over another range. */
interface Copies {
    /** The memory on both sides; more than caches hold. */
    long FOOTPRINT_BYTES = 64L << 20;

    /** Copies that are timed at once. */
    int MOST_COPIES = 64;

    /** Copies to the device, and awaits the end; {@code at} is the offset on both sides. */
    void in(long at, int lengthBytes);

    /** The same to the host. */
    void out(long at, int lengthBytes);

    /** A loop of copies to the device, else to the host: one behind the other. */
    default Loop loop(int lengthBytes, boolean isIn) {
        return copies -> {
            for (int i = 0; i < copies; i++) {
                long at = (long) i * lengthBytes % FOOTPRINT_BYTES;
                if (isIn) {
                    in(at, lengthBytes);
                } else {
                    out(at, lengthBytes);
                }
            }
            return copies;
        };
    }

    /** Takes the time of that loop, for {@code chunkBytes} at once, or for many copies if they are short. */
    default Timed timed(int lengthBytes, boolean isIn, int chunkBytes) {
        return Timed.of(loop(lengthBytes, isIn), Math.clamp(chunkBytes / lengthBytes, 1, MOST_COPIES));
    }
}
