package io.urma4j.udma.command;

import io.urma4j.libc.NativeMemory;

/**
 * Configuration of a receive queue. Created with {@link #builder}.
 *
 * @param number on the wire, 17…2²³−1, or 0 for any
 * @param ring memory in the layout of {@link io.urma4j.udma.ring.WqRing}
 * @param depth elements of the ring, a power of two
 * @param strideBytes from one element to the next
 * @param cq completion queue of its records
 * @param tag in its records and events
 * @param datagrams whether it receives only datagrams
 * @param connected whether it receives only messages of connected Jetties, and none for its own number
 * @param queueKey required in datagrams to it
 * @param rnrTimerCode wait of a sender whose message finds no receive work request (WIRE §4.4)
 * @param threshold report when fewer receive work requests than this are left; 0 for never
 * @param allowInvalidate whether SEND_INVALIDATE is executed
 */
public record ReceiveQueueConfig(
        int number,
        NativeMemory ring,
        int depth,
        int strideBytes,
        int cq,
        int tag,
        boolean datagrams,
        boolean connected,
        int queueKey,
        int rnrTimerCode,
        int threshold,
        boolean allowInvalidate) {

    /** Begins with the queue's memory. */
    public static Builder builder(NativeMemory ring, int depth, int strideBytes, int cq) {
        return new Builder(ring, depth, strideBytes, cq);
    }

    /** Collects the values. Defaults: for messages of many senders, a timer of 120 µs. */
    public static final class Builder {
        private static final int MICROS_120 = 7;

        private final NativeMemory ring;
        private final int depth;
        private final int strideBytes;
        private final int cq;
        private int number;
        private int tag;
        private boolean datagrams;
        private boolean connected;
        private int queueKey;
        private int rnrTimerCode = MICROS_120;
        private int threshold;
        private boolean allowInvalidate;

        private Builder(NativeMemory ring, int depth, int strideBytes, int cq) {
            this.ring = ring;
            this.depth = depth;
            this.strideBytes = strideBytes;
            this.cq = cq;
        }

        public Builder number(int number) {
            this.number = number;
            return this;
        }

        public Builder tag(int tag) {
            this.tag = tag;
            return this;
        }

        /** Only for datagrams with that key. */
        public Builder datagrams(int queueKey) {
            this.datagrams = true;
            this.queueKey = queueKey;
            return this;
        }

        /** Only for connected Jetties. */
        public Builder connected() {
            this.connected = true;
            return this;
        }

        public Builder rnrTimerCode(int code) {
            this.rnrTimerCode = code;
            return this;
        }

        public Builder threshold(int threshold) {
            this.threshold = threshold;
            return this;
        }

        public Builder allowInvalidate(boolean allowInvalidate) {
            this.allowInvalidate = allowInvalidate;
            return this;
        }

        public ReceiveQueueConfig build() {
            return new ReceiveQueueConfig(
                    number,
                    ring,
                    depth,
                    strideBytes,
                    cq,
                    tag,
                    datagrams,
                    connected,
                    queueKey,
                    rnrTimerCode,
                    threshold,
                    allowInvalidate);
        }
    }
}
