package io.urma4j.bench.compare;

import io.urma4j.bench.Rounds;
import java.util.Arrays;
import java.util.List;

/**
 * One measurement of a guarded ratio: urma4j's time by that of C, or of what it is made of, in pairs within the same minute.
 *
 * @param interval where the ratio lies
 * @param median of the pairs
 * @param spread of the divisors alone: by how much the largest exceeds the smallest, as a part of it. They do the same in
 *     each pair, so that a spread is the machine's doing
 */
record GuardRatio(Interval interval, double median, double spread) {
    /** A measurement is judged when the divisors spread by this much at most. */
    static final double MOST_SPREAD = 0.15;

    /** A recorded limit exceeds the median by a tenth. */
    private static final double MARGIN = 1.1;

    /** Fewer steady runs than this say no more than the unsteady ones. */
    private static final int LEAST_STEADY = 3;

    /** What a measurement says of a limit. */
    enum Verdict {
        OK,
        /** The whole interval lies beyond the limit. */
        SLOWER,
        /** The machine had something else to do, so that the measurement says nothing. */
        UNSTEADY
    }

    /** The pairs' times in nanoseconds, in their order. */
    static GuardRatio of(double[] ours, double[] theirs) {
        double[] ratios = new double[Math.min(ours.length, theirs.length)];
        Arrays.setAll(ratios, pair -> ours[pair] / theirs[pair]);
        return new GuardRatio(
                Interval.of(ratios), Rounds.median(ratios), Rounds.most(theirs) / Rounds.least(theirs) - 1);
    }

    boolean isSteady() {
        return spread <= MOST_SPREAD;
    }

    Verdict verdict(double limit) {
        if (!isSteady()) {
            return Verdict.UNSTEADY;
        }
        return interval.isBeyond(limit) ? Verdict.SLOWER : Verdict.OK;
    }

    /** The limit to record of several runs: a tenth above the median of the steady ones, or of all if few are steady. */
    static double newLimit(List<GuardRatio> runs) {
        List<GuardRatio> steady = runs.stream().filter(GuardRatio::isSteady).toList();
        List<GuardRatio> judged = steady.size() < LEAST_STEADY ? runs : steady;
        return MARGIN
                * Rounds.median(judged.stream().mapToDouble(GuardRatio::median).toArray());
    }
}
