package io.urma4j.spi.control;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.Importer;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.spi.support.Timers;
import java.util.ArrayList;
import java.util.List;

/** A home without a network, in virtual time. Its engine is the calling thread. */
final class Home implements ControlEngine {
    static final Eid EID = new Eid(1, 2);
    static final Token TOKEN = Token.of(4711);

    /** The steps of a revocation, in order. */
    final List<String> log = new ArrayList<>();

    private final Timers timers = new Timers();
    private long nowNanos;
    boolean isClosed;
    boolean isEnded;

    @Override
    public long nanos() {
        return nowNanos;
    }

    @Override
    public Timers.Timer at(long deadlineNanos, Runnable action) {
        return timers.at(deadlineNanos, action);
    }

    @Override
    public boolean submit(Runnable step) {
        if (!isEnded) {
            step.run();
        }
        return !isEnded;
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    void pass(long nanos) {
        nowNanos += nanos;
        timers.fire(nowNanos);
    }

    /** A segment with a key under a token id. */
    ExportedSegment<Grant> segment(int tokenId, long key, Access access, TokenPolicy policy) {
        return segment(tokenId, key, access, policy, new Capabilities(true, true, true, MemoryKind.HOST));
    }

    /** A segment in device memory. */
    ExportedSegment<Grant> onDevice(int tokenId, long key) {
        Capabilities served = new Capabilities(false, false, true, MemoryKind.DEVICE);
        return segment(tokenId, key, Access.READ_WRITE, TokenPolicy.PLAIN_TEXT, served);
    }

    private ExportedSegment<Grant> segment(
            int tokenId, long key, Access access, TokenPolicy policy, Capabilities capabilities) {
        SegmentDescriptor descriptor = new SegmentDescriptor(
                EID,
                7,
                1,
                tokenId,
                4096,
                access,
                policy,
                capabilities,
                List.of(new Endpoint("test", "here", key, 0, false)));
        return new ExportedSegment<>(this, descriptor, key, TOKEN, false, () -> log.add("shut to all"));
    }

    /** An import with that number, by a context with that UASID. */
    Grant grant(ExportedSegment<Grant> segment, long number, int uasid, Access access) {
        Grant grant = new Grant(this, number, uasid, access);
        segment.granted(grant);
        return grant;
    }

    record Grant(Home home, long number, int uasid, Access access) implements ExportedSegment.Granted {
        @Override
        public Importer importing() {
            return new Importer(EID, uasid, number);
        }

        @Override
        public String holder() {
            return "uasid " + uasid;
        }

        @Override
        public void shut() {
            home.log.add("shut " + number);
        }

        @Override
        public void tell() {
            home.log.add("tell " + number);
        }

        @Override
        public void endByHome() {
            home.log.add("end " + number);
        }
    }
}
