package io.urma4j.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** A message from one context to another of the same process, by one thread: what both sides compute, without the wait. */
@Fork(value = 3, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SendBenchmark {
    private static final int MESSAGE_BYTES = 64;

    @Benchmark
    public long sendReceiveAndPolls(PairState state) {
        LocalPair pair = state.pair;
        pair.homeJfr.receive(pair.home(), 0, MESSAGE_BYTES, 1);
        pair.jfs.send(pair.target, pair.local, 0, MESSAGE_BYTES, 2);
        return pair.oneAtHome() + pair.one();
    }
}
