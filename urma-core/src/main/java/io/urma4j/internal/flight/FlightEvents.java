package io.urma4j.internal.flight;

import io.urma4j.AsyncEvent;
import io.urma4j.buffer.LeakRecord;
import io.urma4j.buffer.PoolStats;
import java.util.Map;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The events, except those of paths. Loaded only where there is a Flight Recorder. */
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class FlightEvents {
    private FlightEvents() {}

    static void contextOpened(Object context) {
        ContextOpened event = new ContextOpened();
        if (event.isEnabled()) {
            event.context = context.toString();
            event.commit();
        }
    }

    static void contextClosed(Object context) {
        ContextClosed event = new ContextClosed();
        if (event.isEnabled()) {
            event.context = context.toString();
            event.commit();
        }
    }

    static void segmentRegistered(Object segment, Object access) {
        SegmentRegistered event = new SegmentRegistered();
        if (event.isEnabled()) {
            event.segment = segment.toString();
            event.access = access.toString();
            event.commit();
        }
    }

    static Flight.Step importing(Object context) {
        Import event = new Import();
        event.begin();
        return (object, result) -> {
            event.end();
            if (event.shouldCommit()) {
                event.context = context.toString();
                event.object = object.toString();
                event.result = result.toString();
                event.commit();
            }
        };
    }

    static Flight.Step revoking() {
        SegmentRevoked event = new SegmentRevoked();
        event.begin();
        return (object, result) -> {
            event.end();
            if (event.shouldCommit()) {
                event.segment = object.toString();
                event.result = result.toString();
                event.commit();
            }
        };
    }

    static void receiverNotReady(Object queue, Object target) {
        ReceiverNotReady event = new ReceiverNotReady();
        if (event.isEnabled()) {
            event.queue = queue.toString();
            event.target = target.toString();
            event.commit();
        }
    }

    static void raised(AsyncEvent raised) {
        Raised event = switch (raised.type()) {
            case JFC_ERR, JFS_ERR, JFR_ERR, JETTY_ERR, JETTY_GRP_ERR -> new QueueError();
            case PEER_LOST -> new PeerLost();
            case JFR_LIMIT,
                    JETTY_LIMIT,
                    PORT_ACTIVE,
                    PORT_DOWN,
                    DEV_FATAL,
                    EID_CHANGE,
                    ELR_ERR,
                    ELR_DONE,
                    SEGMENT_REVOKED,
                    MEM_INVALIDATED,
                    IMPORT_REFUSED -> new OtherEvent();
        };
        event.type = raised.type().name();
        event.object = raised.object();
        event.detail = raised.detail();
        event.commit();
    }

    static Runnable pool(String pool, Supplier<PoolStats> stats) {
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

    static Flight.Step bufferWait() {
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

    static void bufferLost(LeakRecord leak) {
        BufferLeak event = new BufferLeak();
        if (event.isEnabled()) {
            event.buffer = leak.buffer();
            event.bytes = leak.lengthBytes();
            event.age = leak.age().toNanos();
            event.commit();
        }
    }

    /** What all events have. */
    @Category("urma4j")
    @StackTrace(false)
    abstract static class UrmaEvent extends Event {}

    @Name("io.urma4j.ContextOpened")
    @Label("Context Opened")
    private static final class ContextOpened extends UrmaEvent {
        @Label("Context")
        String context = "";
    }

    @Name("io.urma4j.ContextClosed")
    @Label("Context Closed")
    private static final class ContextClosed extends UrmaEvent {
        @Label("Context")
        String context = "";
    }

    @Name("io.urma4j.SegmentRegistered")
    @Label("Segment Registered")
    private static final class SegmentRegistered extends UrmaEvent {
        @Label("Segment")
        String segment = "";

        @Label("Access")
        String access = "";
    }

    @Name("io.urma4j.Import")
    @Label("Import")
    @Description("Import of a segment, JFR or Jetty, with its result; a threshold on the duration selects slow ones")
    private static final class Import extends UrmaEvent {
        @Label("Context")
        String context = "";

        @Label("Object")
        String object = "";

        @Label("Result")
        String result = "";
    }

    @Name("io.urma4j.SegmentRevoked")
    @Label("Segment Revoked")
    @Description("A segment was revoked from its importers")
    private static final class SegmentRevoked extends UrmaEvent {
        @Label("Segment")
        String segment = "";

        @Label("Result")
        String result = "";
    }

    @Name("io.urma4j.ReceiverNotReady")
    @Label("Receiver Not Ready")
    @Description("A message found no receive work request; one event per flow until a message is received")
    private static final class ReceiverNotReady extends UrmaEvent {
        @Label("Queue")
        String queue = "";

        @Label("Target")
        String target = "";
    }

    /** An asynchronous event. */
    private abstract static class Raised extends UrmaEvent {
        @Label("Type")
        String type = "";

        @Label("Object")
        String object = "";

        @Label("Detail")
        String detail = "";
    }

    @Name("io.urma4j.QueueError")
    @Label("Queue Error")
    private static final class QueueError extends Raised {}

    @Name("io.urma4j.PeerLost")
    @Label("Peer Lost")
    private static final class PeerLost extends Raised {}

    @Name("io.urma4j.AsyncEvent")
    @Label("Asynchronous Event")
    private static final class OtherEvent extends Raised {}

    @Name("io.urma4j.BufferPool")
    @Label("Buffer Pool")
    @Description("The memory of a pool, its leases and waiters, and what it has counted since it was opened")
    @Period("1 s")
    private static final class BufferPool extends UrmaEvent {
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
    private static final class BufferWait extends UrmaEvent {
        @Label("Pool")
        String pool = "";

        @Label("Result")
        String result = "";
    }

    @Name("io.urma4j.BufferLeak")
    @Label("Buffer Leak")
    @Description("A handle of a buffer was garbage-collected without close")
    private static final class BufferLeak extends UrmaEvent {
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
