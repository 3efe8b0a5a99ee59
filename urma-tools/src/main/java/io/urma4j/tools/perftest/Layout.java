package io.urma4j.tools.perftest;

import io.urma4j.tools.perftest.Workload.Kind;

/**
 * The layout of a side's segment; the same on both sides. A side whose payloads are in device memory has two: words in the host's
 * memory, which it polls, and all of the layout on the device, where only payloads and counters are used.
 *
 * <pre>
 *  words      per lane 1024 bytes: inbox 0, credit 256, counter 512, source 768, result 784
 *  outgoing   per lane one payload: what is written and sent, and where reads land
 *  incoming   per lane one payload: what the peer writes, and reads
 *  buffers    for messages, in turn
 * </pre>
 *
 * Words of different writers are 256 bytes apart, since CPUs prefetch cache lines in pairs.
 */
final class Layout {
    /** The smallest page; a smaller one would not separate the words of different writers. */
    static final long LEAST_PAGE_BYTES = 4096;

    private static final long WORDS_BYTES = 1024;
    private static final long LINE = 64;
    private static final long MOST_BUFFER_BYTES = 64L << 20;

    private final long pageBytes;
    private final long strideBytes;
    private final long outgoing;
    private final long incoming;
    private final long buffers;
    private final int bufferCount;

    Layout(Settings settings) {
        long largest = settings.lastSizeBytes();
        int lanes = settings.lanes();
        pageBytes = settings.pageBytes();
        strideBytes = roundUp(largest, largest >= pageBytes ? pageBytes : LINE);
        outgoing = roundUp(lanes * WORDS_BYTES, pageBytes);
        incoming = outgoing + roundUp(lanes * strideBytes, pageBytes);
        buffers = incoming + roundUp(lanes * strideBytes, pageBytes);
        bufferCount = settings.workload().kind() == Kind.SEND
                ? (int) Math.clamp(MOST_BUFFER_BYTES / strideBytes, 1, (long) settings.jfrCount() * settings.jfrDepth())
                : 0;
    }

    private static long roundUp(long value, long multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    /** The length of the words alone, which are in the host's memory also where payloads are not. */
    long wordsBytes() {
        return outgoing;
    }

    long sizeBytes() {
        return buffers + roundUp(Math.max(1, bufferCount) * strideBytes, pageBytes);
    }

    /** Where a write of a word, or the notice of a longer one, lands. */
    long inbox(int lane) {
        return lane * WORDS_BYTES;
    }

    /** How many messages of this lane the peer has taken. */
    long credit(int lane) {
        return lane * WORDS_BYTES + 256;
    }

    /** What atomics count in. */
    long counter(int lane) {
        return lane * WORDS_BYTES + 512;
    }

    /** The word that is written to an inbox, or to a credit. */
    long source(int lane) {
        return lane * WORDS_BYTES + 768;
    }

    /** Where the old value of an atomic lands. */
    long result(int lane) {
        return lane * WORDS_BYTES + 784;
    }

    long outgoing(int lane) {
        return outgoing + lane * strideBytes;
    }

    long incoming(int lane) {
        return incoming + lane * strideBytes;
    }

    long buffer(long number) {
        return buffers + number % Math.max(1, bufferCount) * strideBytes;
    }

    int bufferCount() {
        return bufferCount;
    }

    /** Room for one payload. */
    long strideBytes() {
        return strideBytes;
    }
}
