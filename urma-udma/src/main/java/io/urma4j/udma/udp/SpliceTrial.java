package io.urma4j.udma.udp;

import java.util.Arrays;

/**
 * Decides whether long payloads are spliced or gathered, by what each takes the sender. A splice saves a copy, and costs three
 * more system calls. Which one is cheaper depends on the processor, on the hypervisor, and on where it runs the two CPUs at the
 * moment. So every now and then the port measures some datagrams in the way in use, then some in the other way, and compares
 * the medians.
 *
 * <p>Single samples mislead. Preemption makes one longer. And a copy into pages that the receiver has not just read is several
 * times as fast as the others, so the other way is measured only once the kernel reuses its pages as it would in the long run.
 */
final class SpliceTrial {
    /** Long datagrams before the first trial. They are spliced. */
    static final int FIRST_PAUSE = 64;

    /** Long datagrams from a trial that has changed the way to the next one. */
    static final int PAUSE = 512;

    /** Each trial that changes nothing doubles the pause, up to this: the slower way may take four times as long. */
    static final int MAX_PAUSE = 32 * PAUSE;

    /** Measured datagrams of each of the two ways. */
    static final int SAMPLES = 15;

    /** Datagrams that go the other way before it is measured: about as many as can be in flight. */
    static final int SETTLING = 64;

    /** What the next long datagram is. */
    private enum Phase {
        PAUSING,
        MEASURING_USED,
        SETTLING,
        MEASURING_OTHER
    }

    private final long[] samples = new long[SAMPLES];
    private boolean splices = true;
    private Phase phase = Phase.PAUSING;
    private int left = FIRST_PAUSE; // datagrams before the next phase
    private int pause = PAUSE;
    private long usedNanos;

    /** Whether the next long datagram is measured. */
    boolean isMeasuring() {
        return phase == Phase.MEASURING_USED || phase == Phase.MEASURING_OTHER;
    }

    /** Whether the next long datagram is spliced. */
    boolean splices() {
        boolean isOther = phase == Phase.SETTLING || phase == Phase.MEASURING_OTHER;
        return splices != isOther;
    }

    /** Long datagrams have left without being measured. */
    void passed(int datagrams) {
        left -= datagrams;
        if (left <= 0) {
            begin(phase == Phase.PAUSING ? Phase.MEASURING_USED : Phase.MEASURING_OTHER, SAMPLES);
        }
    }

    /** The measured datagram has left. */
    void took(long nanos) {
        samples[--left] = nanos;
        if (left > 0) {
            return;
        }
        if (phase == Phase.MEASURING_USED) {
            usedNanos = median();
            begin(Phase.SETTLING, SETTLING);
        } else {
            decide(median());
        }
    }

    private void begin(Phase next, int datagrams) {
        phase = next;
        left = datagrams;
    }

    private long median() {
        Arrays.sort(samples);
        return samples[SAMPLES / 2];
    }

    /** The other way must save an eighth: then the port does not change its mind for nothing. */
    private void decide(long otherNanos) {
        if (otherNanos < usedNanos - usedNanos / 8) {
            splices = !splices;
            pause = PAUSE;
        } else {
            pause = Math.min(2 * pause, MAX_PAUSE);
        }
        begin(Phase.PAUSING, pause);
    }

    @Override
    public String toString() {
        String words = splices ? "splices" : "gathers";
        return phase == Phase.PAUSING
                ? words + ", " + left + " datagrams before the next trial"
                : words + ", in a trial";
    }
}
