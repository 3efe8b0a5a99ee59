package io.urma4j.bench;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A WRITE with the poll of its record, by size, beside a plain copy of the same memory. */
@Fork(value = 3, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WriteBenchmark {
    /** How much is written. */
    @State(Scope.Benchmark)
    public static class Size {
        @Param({"8", "64", "4096", "65536", "1048576"})
        int bytes;
    }

    @Benchmark
    public long writeAndPoll(PairState state, Size size) {
        LocalPair pair = state.pair;
        pair.jfs.write(pair.remote, 0, pair.local, 0, size.bytes, 1);
        return pair.one();
    }

    @Benchmark
    public MemorySegment copy(PairState state, Size size) {
        LocalPair pair = state.pair;
        MemorySegment.copy(pair.local.memory(), 0, pair.homeMemory(), 0, size.bytes);
        return pair.homeMemory();
    }
}
