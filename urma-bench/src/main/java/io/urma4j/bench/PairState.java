package io.urma4j.bench;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** An initiator and a home, for the JMH benchmarks. */
@State(Scope.Benchmark)
public class PairState {
    private static final long FOOTPRINT_BYTES = 1 << 20;

    /** Whether the queues are made for one thread. */
    @Param({"true", "false"})
    boolean lockFree;

    LocalPair pair;

    @Setup(Level.Trial)
    public void open() {
        pair = new LocalPair("shm0", lockFree, FOOTPRINT_BYTES);
    }

    @TearDown(Level.Trial)
    public void close() {
        pair.close();
    }
}
