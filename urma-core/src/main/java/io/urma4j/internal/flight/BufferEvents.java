package io.urma4j.internal.flight;

import io.urma4j.buffer.LeakRecord;
import io.urma4j.buffer.PoolStats;
import java.util.Map;
import java.util.function.Supplier;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.Timespan;

/** Events of buffer pools. The state of a pool is recorded periodically. */
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class BufferEvents {
    private BufferEvents() {}

    static Runnable begin(String pool, Supplier<PoolStats> stats) {
        return PeriodicEvents.begin(Map.of(BufferPool.class, () -> record(pool, stats.get())));
    }

    private static void record(String pool, PoolStats now) {
        BufferPool event = new BufferPool();
        event.pool = pool;
        event.maximum = now.maxBytes();
        event.registered = now.registeredBytes();
        event.idle = now.idleBytes();
        event.slabs = now.slabs();
        event.leases = now.leases();
        event.waiters = now.waiters();
        event.waits = now.waits();
        event.refusals = now.refusals();
        event.quarantined = now.quarantined();
        event.commit();
    }

    static Flight.Step waiting() {
        BufferWait event = new BufferWait();
        event.begin();
        return (pool, result) -> {
            event.end();
            if (event.shouldCommit()) {
                event.pool = pool.toString();
                event.result = result.toString();
                event.commit();
            }
        };
    }

    static void lost(LeakRecord leak) {
        BufferLeak event = new BufferLeak();
        if (event.isEnabled()) {
            event.buffer = leak.buffer();
            event.bytes = leak.lengthBytes();
            event.age = leak.age().toNanos();
            event.commit();
        }
    }

    @Name("io.urma4j.BufferPool")
    @Label("Buffer Pool")
    @Description("The memory of a pool, its leases and waiters, and what it has counted since it was opened")
    @Period("1 s")
    private static final class BufferPool extends FlightEvents.UrmaEvent {
        @Label("Pool")
        String pool = "";

        @Label("Hard Limit")
        @DataAmount
        long maximum;

        @Label("Registered")
        @DataAmount
        long registered;

        @Label("Idle")
        @DataAmount
        long idle;

        @Label("Slabs")
        int slabs;

        @Label("Leases")
        long leases;

        @Label("Waiters")
        int waiters;

        @Label("Waits")
        long waits;

        @Label("Refusals")
        long refusals;

        @Label("Quarantined")
        @Description("Buffers whose lease is over, and of which a peer still uses a window")
        int quarantined;
    }

    @Name("io.urma4j.BufferWait")
    @Label("Buffer Wait")
    @Description("A request waited for memory of a pool; a threshold on the duration selects long waits")
    private static final class BufferWait extends FlightEvents.UrmaEvent {
        @Label("Pool")
        String pool = "";

        @Label("Result")
        String result = "";
    }

    @Name("io.urma4j.BufferLeak")
    @Label("Buffer Leak")
    @Description("A handle of a buffer was garbage-collected without close")
    private static final class BufferLeak extends FlightEvents.UrmaEvent {
        @Label("Buffer")
        String buffer = "";

        @Label("Length")
        @DataAmount
        long bytes;

        @Label("Age")
        @Timespan(Timespan.NANOSECONDS)
        long age;
    }
}
