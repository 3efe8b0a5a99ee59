package io.urma4j.udma.udp;

/**
 * Decides whether long payloads are spliced or gathered, by what each takes the sender. A splice saves a copy, and costs three
 * more system calls. Which one is cheaper depends on the processor, on the hypervisor, and on where it runs the two CPUs at the
 * moment. So every now and then the port measures a few datagrams in both ways, in turn, and compares the shortest times:
 * preemption only makes them longer.
 */
final class SpliceTrial {
    /** Long datagrams before the first trial. They are spliced. */
    static final int FIRST_PAUSE = 64;

    /** Long datagrams from a trial to the next. */
    static final int PAUSE = 512;

    /** Datagrams in each of the two ways. */
    static final int SAMPLES = 4;

    private boolean splices = true;
    private int left = FIRST_PAUSE; // datagrams before the next trial
    private int taken; // samples of this trial
    private long shortestSpliced = Long.MAX_VALUE;
    private long shortestGathered = Long.MAX_VALUE;

    /** Whether the next long datagram is measured. */
    boolean isRunning() {
        return left == 0;
    }

    /** Whether the next long datagram is spliced. */
    boolean splices() {
        return isRunning() ? (taken & 1) == 0 : splices;
    }

    /** Long datagrams have left without being measured. */
    void passed(int datagrams) {
        left = Math.max(0, left - datagrams);
    }

    /** The measured datagram has left. */
    void took(long nanos) {
        if (splices()) {
            shortestSpliced = Math.min(shortestSpliced, nanos);
        } else {
            shortestGathered = Math.min(shortestGathered, nanos);
        }
        if (++taken == 2 * SAMPLES) {
            decide();
        }
    }

    /** The other way must save an eighth: then the port does not change its mind for nothing. */
    private void decide() {
        long used = splices ? shortestSpliced : shortestGathered;
        long other = splices ? shortestGathered : shortestSpliced;
        if (other < used - used / 8) {
            splices = !splices;
        }
        taken = 0;
        shortestSpliced = Long.MAX_VALUE;
        shortestGathered = Long.MAX_VALUE;
        left = PAUSE;
    }

    @Override
    public String toString() {
        return (splices ? "splices" : "gathers") + ", " + left + " datagrams before the next trial";
    }
}
