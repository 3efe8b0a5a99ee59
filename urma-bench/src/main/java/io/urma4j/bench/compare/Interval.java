package io.urma4j.bench.compare;

import java.util.Arrays;

/**
 * The 95 % confidence interval of a ratio, from pairs of measurements.
 *
 * @param low its lower end
 * @param middle the geometric mean
 * @param high its upper end
 */
public record Interval(double low, double middle, double high) {
    /** Student's t for 95 %, two-sided, from one degree of freedom on. */
    private static final double[] T = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
        2.110, 2.101, 2.093, 2.086
    };

    private static final double T_OF_MANY = 1.96;

    /** Ratios multiply, so that it is their logarithms that are averaged: twice as slow is as far off as twice as quick. */
    public static Interval of(double[] ratios) {
        if (ratios.length < 2) {
            throw new IllegalArgumentException(ratios.length + " pairs make no interval");
        }
        double[] logs = Arrays.stream(ratios).map(Math::log).toArray();
        double mean = Arrays.stream(logs).average().orElseThrow();
        double squares =
                Arrays.stream(logs).map(log -> (log - mean) * (log - mean)).sum();
        double error = Math.sqrt(squares / (logs.length - 1) / logs.length);
        double t = logs.length - 2 < T.length ? T[logs.length - 2] : T_OF_MANY;
        return new Interval(Math.exp(mean - t * error), Math.exp(mean), Math.exp(mean + t * error));
    }

    /** Whether all of it is more than the limit. */
    boolean isBeyond(double limit) {
        return low > limit;
    }
}
