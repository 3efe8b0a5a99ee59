package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** Atomics with the poll of their records, beside the bare instruction. */
@Fork(value = 3, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AtomicBenchmark {
    private static final VarHandle U64 = JAVA_LONG.varHandle();

    @Benchmark
    public long fetchAndAddAndPoll(PairState state) {
        LocalPair pair = state.pair;
        pair.jfs.fetchAndAdd(pair.remote, 0, pair.local, 0, 1, 1);
        return pair.one();
    }

    @Benchmark
    public long compareAndSwapAndPoll(PairState state) {
        LocalPair pair = state.pair;
        pair.jfs.compareAndSwap(pair.remote, 0, pair.local, 0, 1, 1, 1);
        return pair.one();
    }

    @Benchmark
    public long bareFetchAndAdd(PairState state) {
        return (long) U64.getAndAdd(state.pair.homeMemory(), 0L, 1L);
    }
}
