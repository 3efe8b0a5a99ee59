package io.urma4j.bench.scale;

import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The CPU time of two cards, with header prediction and without: no sockets, one thread, warm caches. */
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CardBenchmark {
    private static final int WRITES = 64;
    private static final int MESSAGE_BYTES = 64;
    private static final long TRIP_NANOS = 5_000;
    private static final int MOST_TRIPS = 100;

    /** Two hosts, connected. */
    @State(Scope.Benchmark)
    public static class Ends {
        @Param({"true", "false"})
        boolean predicts;

        private CardEnd left;
        private CardEnd right;
        private Way toRight;
        private Way toLeft;
        private long nowNanos = 1_000_000_000L;

        @Setup
        public void connect() {
            ArrayDeque<Packet> pool = new ArrayDeque<>();
            left = new CardEnd(1, pool, predicts);
            right = new CardEnd(2, pool, predicts);
            toRight = left.wayTo(right);
            toLeft = right.wayTo(left);
            left.connect(right, nowNanos);
            right.connect(left, nowNanos);
        }

        private void pass() {
            nowNanos += TRIP_NANOS;
            left.deliver(right, toRight, toLeft, nowNanos);
            right.deliver(left, toLeft, toRight, nowNanos);
        }
    }

    /** Half of it: a message, its record, and the acknowledgement that the reply piggybacks. */
    @Benchmark
    @OperationsPerInvocation(2)
    public int messageAndReply(Ends ends) {
        return send(ends, ends.left, ends.right) + send(ends, ends.right, ends.left);
    }

    private static int send(Ends ends, CardEnd from, CardEnd to) {
        to.postReceive(MESSAGE_BYTES);
        from.postSend(MESSAGE_BYTES);
        from.ring(ends.nowNanos);
        ends.pass();
        to.card().step(ends.nowNanos, FlushHint.HOLD_REQUESTS_AND_ACKS);
        return to.poll();
    }

    /** One of 64 WRITEs of 8 bytes that are posted together, until its record is polled. */
    @Benchmark
    @OperationsPerInvocation(WRITES)
    public int writesOfEightBytes(Ends ends) {
        for (int i = 0; i < WRITES; i++) {
            ends.left.postWrite(Long.BYTES);
        }
        ends.left.ring(ends.nowNanos);
        int records = 0;
        for (int trip = 0; records < WRITES; trip++) {
            if (trip == MOST_TRIPS) {
                throw new IllegalStateException(WRITES - records + " WRITEs have no record");
            }
            ends.pass();
            ends.right.card().step(ends.nowNanos);
            ends.left.card().step(ends.nowNanos);
            records += ends.left.poll();
        }
        return records;
    }
}
