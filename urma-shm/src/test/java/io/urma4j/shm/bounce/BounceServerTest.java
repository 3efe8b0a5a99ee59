package io.urma4j.shm.bounce;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Opcode;
import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.support.FragmentLane;
import io.urma4j.spi.support.StagedCopies;
import io.urma4j.spi.support.StagedRegion;
import io.urma4j.tck.Patience;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a home does with the requests of an importer, whose every bit may be hostile. */
class BounceServerTest {
    private static final int LENGTH = 1 << 20;
    private static final RegionUser NO_KEYS = new RegionUser() {
        @Override
        public void revoke(InvalidationReason reason) {}

        @Override
        public void invalidated(InvalidationReason reason) {}
    };

    private final AtomicInteger failingPolls = new AtomicInteger();
    private final AtomicLong pausedNanos = new AtomicLong();
    private volatile @Nullable BounceRequest failsBehind; // the poll behind its result
    private final BounceServer.Rings rings = new BounceServer.Rings() {
        @Override
        public void poll() {
            if (failingPolls.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IllegalArgumentException("on purpose");
            }
            BounceRequest ended = failsBehind;
            if (ended != null && result(ended) != 0) {
                failsBehind = null;
                throw new IllegalArgumentException("on purpose, with nothing to do");
            }
        }

        @Override
        public void beginWait() {}

        @Override
        public void endWait() {}
    };

    private final Map<Long, ServedGrant> grants = new HashMap<>();
    private final StagedCopies copies = new StagedCopies();
    private Urma urma;
    private DeviceMemory memory;
    private PeerRegion region;
    private StagedRegion served;
    private ShmMemory buffer;
    private BounceServer server;

    private record Grant(StagedRegion served, Access access, ServedRequests requests) implements ServedGrant {
        @Override
        public boolean hasAtomics() {
            return true;
        }
    }

    @BeforeEach
    void open(@TempDir Path directory) {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory).withSetting("urma.npu", "1"));
        memory = urma.peerMemory().allocate("npu", 0, LENGTH);
        memory.fill(0, LENGTH, (byte) 0);
        region = memory.pin(true, List.of());
        region.activate(NO_KEYS);
        served = copies.region(region);
        grants.put(1L, new Grant(served, Access.READ_WRITE_ATOMIC, new ServedRequests()));
        grants.put(2L, new Grant(served, Access.READ, new ServedRequests()));
        grants.put(3L, new Grant(served, Access.READ_WRITE, new ServedRequests()));
        assertThat(grants.get(3L).requests().shut()).isDone();
        buffer = ShmMemory.allocate(BounceLayout.BYTES, AllocOptions.DEFAULT, "test");
        ImportedMapping mapping = ImportedMapping.mapWhole(buffer.fd().duplicate(), BounceLayout.BYTES, true);
        server = new BounceServer(mapping, grants::get, rings, "test", nanos -> pausedNanos.addAndGet(nanos));
    }

    @AfterEach
    void close() {
        server.close();
        copies.close();
        region.close();
        memory.close();
        buffer.close();
        urma.close();
    }

    private static BounceRequest request(long grant, Opcode opcode, long offset, int lengthBytes) {
        BounceRequest request = new BounceRequest();
        request.grant = grant;
        request.opcode = opcode.value();
        request.offset = offset;
        request.lengthBytes = lengthBytes;
        request.ticket = 7;
        return request;
    }

    private boolean accepts(BounceRequest request) {
        return server.accept(bytes(request), 0, BounceRequest.BYTES);
    }

    private static MemorySegment bytes(BounceRequest request) {
        MemorySegment bytes = MemorySegment.ofArray(new long[BounceRequest.BYTES / Long.BYTES]);
        request.write(bytes);
        return bytes;
    }

    private int resultOf(BounceRequest request) {
        assertThat(accepts(request)).as(request.toString()).isTrue();
        return await(request);
    }

    private int await(BounceRequest request) {
        Patience.await("result of " + request, () -> result(request) != 0);
        return result(request);
    }

    private int result(BounceRequest request) {
        return BounceLayout.result(buffer.segment(), request.fragment, request.ticket);
    }

    private MemorySegment fragment(int number) {
        return BounceLayout.fragment(buffer.segment(), number, FragmentLane.MAX_FRAGMENT_BYTES);
    }

    private byte at(long offset) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment one = arena.allocate(1);
            memory.copyTo(offset, one);
            return one.get(JAVA_BYTE, 0);
        }
    }

    @Test
    void bytesMoveBothWays() {
        fragment(0).fill((byte) 5);
        assertThat(resultOf(request(1, Opcode.WRITE, 3, 1000))).isEqualTo(BounceLayout.DONE);
        assertThat(at(2)).isZero();
        assertThat(at(3)).isEqualTo((byte) 5);
        assertThat(at(1002)).isEqualTo((byte) 5);
        assertThat(at(1003)).isZero();

        BounceRequest read = request(2, Opcode.READ, 0, 8);
        read.fragment = 15;
        assertThat(resultOf(read)).isEqualTo(BounceLayout.DONE);
        assertThat(fragment(15).get(JAVA_LONG, 0)).isEqualTo(0x0505_0505_0500_0000L);
    }

    @Test
    void atomicTellsTheValueBefore() {
        for (int round = 0; round < 3; round++) {
            BounceRequest add = request(1, Opcode.FADD, 8, 8);
            add.operand = 5;
            add.ticket = 100 + round;
            assertThat(resultOf(add)).isEqualTo(BounceLayout.DONE);
            assertThat(BounceLayout.value(buffer.segment(), 0)).isEqualTo(5L * round);
        }
    }

    @Test
    void importerReachesOnlyWhatItWasGranted() {
        fragment(0).fill((byte) 9);
        assertThat(resultOf(request(2, Opcode.WRITE, 0, 8))).isEqualTo(BounceLayout.REFUSED);
        assertThat(resultOf(numbered(request(2, Opcode.FADD, 0, 8), 8))).isEqualTo(BounceLayout.REFUSED);
        assertThat(resultOf(numbered(request(3, Opcode.READ, 0, 8), 9))).isEqualTo(BounceLayout.REVOKED);
        assertThat(resultOf(numbered(request(4, Opcode.READ, 0, 8), 10))).isEqualTo(BounceLayout.REVOKED);
        assertThat(resultOf(numbered(request(1, Opcode.WRITE, LENGTH - 7, 8), 11)))
                .isEqualTo(BounceLayout.REFUSED);
        assertThat(resultOf(numbered(request(1, Opcode.WRITE, 1L << 62, 8), 12)))
                .isEqualTo(BounceLayout.REFUSED);
        assertThat(at(0)).isZero();
        assertThat(at(LENGTH - 1)).isZero();
        assertThat(resultOf(numbered(request(1, Opcode.WRITE, LENGTH - 8, 8), 13)))
                .isEqualTo(BounceLayout.DONE);
        assertThat(at(LENGTH - 1)).isEqualTo((byte) 9);
    }

    private static BounceRequest numbered(BounceRequest request, int ticket) {
        request.ticket = ticket;
        return request;
    }

    @Test
    void impossibleRequestsAreNotAccepted() {
        assertThat(server.accept(bytes(request(1, Opcode.READ, 0, 8)), 0, BounceRequest.BYTES - 1))
                .isFalse();
        assertThat(accepts(request(1, Opcode.READ, -1, 8))).isFalse();
        assertThat(accepts(request(1, Opcode.READ, Long.MAX_VALUE, 8))).isFalse();
        assertThat(accepts(request(1, Opcode.READ, 0, 0))).isFalse();
        assertThat(accepts(request(1, Opcode.READ, 0, -1))).isFalse();
        assertThat(accepts(request(1, Opcode.WRITE, 0, FragmentLane.MAX_FRAGMENT_BYTES + 1)))
                .isFalse();
        assertThat(accepts(request(1, Opcode.SEND, 0, 8))).isFalse();
        assertThat(accepts(request(1, Opcode.FADD, 0, 2))).isFalse();
        assertThat(accepts(request(1, Opcode.CAS, 4, 8))).isFalse();
        for (int fragment : new int[] {-1, 16, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            BounceRequest request = request(1, Opcode.READ, 0, 8);
            request.fragment = fragment;
            assertThat(accepts(request)).isFalse();
        }
        assertThat(resultOf(request(1, Opcode.READ, 0, 8))).isEqualTo(BounceLayout.DONE);
    }

    /** Another request would have ended meanwhile, unless it must wait. */
    private void manyReadsEnd(long grant) {
        for (int i = 0; i < 50; i++) {
            BounceRequest read = numbered(request(grant, Opcode.READ, 0, 8), 100 + i);
            read.fragment = 1;
            assertThat(resultOf(read)).isEqualTo(BounceLayout.DONE);
        }
    }

    /** At most one request a fragment: so an importer cannot make its home remember more. */
    @Test
    void fragmentHasOneRequestAtATime() {
        assertThat(served.tryOwn(this)).isTrue(); // an atomic must wait
        BounceRequest waiting = request(1, Opcode.FADD, 0, 8);
        assertThat(accepts(waiting)).isTrue();
        assertThat(accepts(request(1, Opcode.READ, 0, 8))).isFalse();
        manyReadsEnd(1);
        assertThat(result(waiting)).isZero();

        served.disown(this);

        assertThat(await(waiting)).isEqualTo(BounceLayout.DONE);
        assertThat(resultOf(numbered(request(1, Opcode.READ, 0, 8), 8))).isEqualTo(BounceLayout.DONE);
    }

    /** S15.33: it could come between the two copies of an atomic, also if its importer may execute none. */
    @Test
    void writeWaitsForTheAtomicOfAnotherImporter() {
        grants.put(4L, new Grant(served, Access.READ_WRITE, new ServedRequests()));
        assertThat(served.tryOwn(this)).isTrue(); // as an atomic does
        BounceRequest write = request(4, Opcode.WRITE, 0, 8);
        assertThat(accepts(write)).isTrue();
        manyReadsEnd(4);
        assertThat(result(write)).isZero();

        served.disown(this);

        assertThat(await(write)).isEqualTo(BounceLayout.DONE);
    }

    @Test
    void memoryThatWasTakenAwayIsGone() {
        assertThat(resultOf(request(1, Opcode.READ, 0, 8))).isEqualTo(BounceLayout.DONE);
        memory.closeByForce();
        assertThat(resultOf(numbered(request(1, Opcode.READ, 0, 8), 8))).isEqualTo(BounceLayout.REVOKED);
        assertThat(resultOf(numbered(request(1, Opcode.FADD, 0, 8), 9))).isEqualTo(BounceLayout.REVOKED);
        assertThat(served.tryOwn(this)).as("nothing owns the region").isTrue();
    }

    /** A revocation is complete once no byte moves: a request that has begun is waited for, and no further one begins. */
    @Test
    void endOfAnImportWaitsForItsRequest() {
        ServedRequests requests = grants.get(1L).requests();
        assertThat(served.tryOwn(this)).isTrue(); // the request must wait
        BounceRequest running = request(1, Opcode.FADD, 0, 8);
        assertThat(accepts(running)).isTrue();
        BounceRequest read = request(1, Opcode.READ, 0, 8);
        read.fragment = 1;
        assertThat(resultOf(read)).as("so the one before it has begun").isEqualTo(BounceLayout.DONE);

        CompletableFuture<Void> quiet = requests.shut();
        BounceRequest late = numbered(request(1, Opcode.READ, 0, 8), 8);
        late.fragment = 1;
        assertThat(resultOf(late)).isEqualTo(BounceLayout.REVOKED);
        assertThat(quiet).isNotDone();

        served.disown(this);

        assertThat(await(running)).isEqualTo(BounceLayout.DONE);
        assertThat(quiet).isDone();
    }

    /** One that is refused does not count. */
    @Test
    void endOfAnImportWaitsForNoRequestThatIsRefused() {
        assertThat(resultOf(request(2, Opcode.WRITE, 0, 8))).isEqualTo(BounceLayout.REFUSED);
        memory.closeByForce();
        assertThat(resultOf(numbered(request(2, Opcode.READ, 0, 8), 8))).isEqualTo(BounceLayout.REVOKED);

        assertThat(grants.get(2L).requests().shut()).isDone();
    }

    @Test
    void requestAfterAFailureOfTheThreadStartsAnother() {
        BounceRequest first = request(1, Opcode.READ, 0, 8);
        failsBehind = first;
        assertThat(resultOf(first)).isEqualTo(BounceLayout.DONE);
        Patience.await("the failure", () -> failsBehind == null && !server.hasThread());

        assertThat(resultOf(numbered(request(1, Opcode.READ, 0, 8), 8))).isEqualTo(BounceLayout.DONE);
    }

    /** Each failure costs a thread, so there is a pause before the next. */
    @Test
    void requestThatWaitsAtAFailureOfTheThreadIsServedAfterAPause() {
        int failures = 50;
        failingPolls.set(failures);

        assertThat(resultOf(request(1, Opcode.READ, 0, 8))).isEqualTo(BounceLayout.DONE);

        assertThat(failingPolls).hasValue(0);
        assertThat(pausedNanos).hasValue(failures * BounceServer.PAUSE_AFTER_FAILURE_NANOS);
    }

    @Test
    void closedServerEndsItsThread() {
        assertThat(resultOf(request(1, Opcode.READ, 0, 8))).isEqualTo(BounceLayout.DONE);
        server.close();
        server.close();
        Patience.await("its end", server::hasEnded);
        assertThat(region.copiesInFlight()).isZero();
    }
}
