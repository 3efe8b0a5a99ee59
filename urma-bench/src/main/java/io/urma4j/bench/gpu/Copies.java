package io.urma4j.bench.gpu;

import io.urma4j.bench.Loop;

/** Copies between host and device, one at a time, each over another range. */
interface Copies {
    /** The memory on both sides; more than caches hold. */
    long FOOTPRINT_BYTES = 64L << 20;

    /** A loop of copies to the device. */
    Loop in(int lengthBytes);

    /** A loop of copies to the host. */
    Loop out(int lengthBytes);

    /** The offset of a copy on both sides: one behind the other. */
    static long place(int copy, int lengthBytes) {
        return (long) copy * lengthBytes % FOOTPRINT_BYTES;
    }
}
