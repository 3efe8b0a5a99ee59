package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.Revocation;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.Urma;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.npu.NpuConfig;
import io.urma4j.npu.SimulatedNpus;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.MemoryShared;
import io.urma4j.spi.control.ControlMessage.OpenShared;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.tck.Patience;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a home does with importers that may have its device memory open, message by message. */
class SharedMemoryRulesTest {
    private static final int LENGTH = 4096;
    private static final Duration SHORT = Duration.ofMillis(100);

    private Path directory;
    private SimulatedNpus npus;
    private Urma urma;
    private DeviceMemory memory;
    private PeerRegion region;
    private final List<PeerRegion> regions = new ArrayList<>();
    private TestContext home;
    private ShmSegment segment;

    @BeforeEach
    void open(@TempDir Path temporary) throws Exception {
        directory = temporary.resolve("runtime");
        npus = new SimulatedNpus(NpuConfig.DEFAULT.withIpc(true));
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(temporary.resolve("other")));
        urma.peerMemory().add(npus);
        home = new TestContext(directory);
        register(Access.READ_WRITE, false);
    }

    private void register(Access access, boolean isIsolated) throws Exception {
        memory = urma.peerMemory().allocate("npu", 0, LENGTH);
        region = memory.pin(true, List.of());
        regions.add(region);
        SegmentRequest request = new SegmentRequest(
                null, null, region, access, TokenPolicy.PLAIN_TEXT, Token.random(), 0, isIsolated, false);
        segment = (ShmSegment) home.plane.register(request).get(10, TimeUnit.SECONDS);
        ShmSegment made = segment;
        region.activate(new RegionUser() {
            @Override
            public void revoke(InvalidationReason reason) {
                made.memoryLost();
            }

            @Override
            public void invalidated(InvalidationReason reason) {}
        });
    }

    @AfterEach
    void close() {
        home.close();
        regions.forEach(PeerRegion::close);
        urma.close();
        assertThat(npus.violations()).isEmpty();
    }

    private RawPeer greeted() throws Exception {
        RawPeer peer = RawPeer.connectedTo(directory, home.plane);
        Hello plain = RawPeer.hello(home.plane.incarnation());
        peer.send(new Hello(
                plain.major(),
                plain.minor(),
                ControlCodec.FEATURE_DEVICE_MEMORY | ControlCodec.FEATURE_OPENED_DEVICE_MEMORY,
                0,
                plain.eid(),
                plain.uasid(),
                plain.incarnation(),
                plain.wanted(),
                plain.address()));
        peer.receive(Hello.class);
        return peer;
    }

    private long grantOf(RawPeer peer, Access access) throws Exception {
        peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), access, segment.token()));
        return peer.receive(SegmentGranted.class).grant();
    }

    private long opened(RawPeer peer) throws Exception {
        long grant = grantOf(peer, Access.READ_WRITE);
        peer.send(new OpenShared(2, grant, List.of("other", "npu")));
        MemoryShared shared = peer.receive(MemoryShared.class);
        assertThat(shared.access()).isEqualTo(Access.READ_WRITE);
        assertThat(shared.client()).isEqualTo("npu");
        assertThat(shared.handle().bytes()).isNotEmpty();
        return grant;
    }

    private void assertRefused(RawPeer peer, long grant, String... clients) throws Exception {
        peer.send(new OpenShared(9, grant, List.of(clients)));
        assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EINVAL);
    }

    /** Whether the client knows the address no more. */
    private boolean isFree() {
        try (DeviceMemory allocated = urma.peerMemory().wrap("npu", 0, memory.address(), LENGTH)) {
            return allocated.lengthBytes() != LENGTH;
        } catch (UrmaException e) {
            return true;
        }
    }

    private Revocation unregistered(Duration timeout) throws Exception {
        return segment.unregister(timeout).get(10, TimeUnit.SECONDS);
    }

    @Test
    void handleIsForImportersWithThatClient() throws Exception {
        try (RawPeer peer = greeted()) {
            assertRefused(peer, 1, "npu");
            long grant = grantOf(peer, Access.READ_WRITE);
            assertRefused(peer, grant);
            assertRefused(peer, grant, "cuda");
            assertRefused(peer, grant + 1, "npu");
            assertThat(unregistered(Duration.ofSeconds(10)).isComplete())
                    .as("no importer has a handle")
                    .isTrue();
            peer.receive(Revoke.class);
            assertRefused(peer, grant, "npu");
        }
    }

    @Test
    void accessOfTheHandleIsThatOfTheGrant() throws Exception {
        try (RawPeer peer = greeted()) {
            long grant = grantOf(peer, Access.READ);
            peer.send(new OpenShared(2, grant, List.of("npu")));
            assertThat(peer.receive(MemoryShared.class).access()).isEqualTo(Access.READ);
        }
    }

    @Test
    void writesToASegmentWithAtomicsGoByTheHome() throws Exception {
        register(Access.READ_WRITE_ATOMIC, false);
        try (RawPeer peer = greeted()) {
            for (Access access : List.of(Access.READ_WRITE_ATOMIC, Access.READ_WRITE)) {
                long grant = grantOf(peer, access);
                peer.send(new OpenShared(2, grant, List.of("npu")));
                assertThat(peer.receive(MemoryShared.class).access()).isEqualTo(Access.READ);
            }
        }
    }

    /** A handle writes: so it is for no segment that the home protects from that. */
    @Test
    void segmentThatIsIsolatedOrToReadHasNoHandle() throws Exception {
        register(Access.READ, false);
        try (RawPeer peer = greeted()) {
            assertRefused(peer, grantOf(peer, Access.READ), "npu");
            register(Access.READ_WRITE, true);
            assertRefused(peer, grantOf(peer, Access.READ_WRITE), "npu");
        }
    }

    @Test
    void revocationWaitsForTheAnswer() throws Exception {
        try (RawPeer peer = greeted()) {
            long grant = opened(peer);

            Revocation late = unregistered(SHORT);

            assertThat(late.isComplete()).isFalse();
            assertThat(peer.receive(Revoke.class).grant()).isEqualTo(grant);
            region.close();
            memory.close();
            assertThat(isFree()).as("freed under its importer").isFalse();
            peer.send(new Revoked(grant));
            Patience.await("the free", this::isFree);
        }
    }

    @Test
    void freeByForceWaitsForTheAnswer() throws Exception {
        try (RawPeer peer = greeted()) {
            long grant = opened(peer);

            memory.closeByForce();

            assertThat(peer.receive(Revoke.class).grant()).isEqualTo(grant);
            assertThat(isFree()).as("freed under its importer").isFalse();
            peer.send(new Revoked(grant));
            Patience.await("the free", this::isFree);
        }
    }

    /** A connection that ended proves nothing, since the memory may still be open; a goodbye does. */
    @Test
    void freeWaitsForTheProofThatAnImporterIsGone() throws Exception {
        try (RawPeer peer = greeted()) {
            opened(peer);
            memory.closeByForce();
            peer.receive(Revoke.class);
            assertThat(isFree()).isFalse();

            peer.send(new Goodbye("done"));

            Patience.await("the free", this::isFree);
        }
    }

    /** However often it asks, one answer ends it. */
    @Test
    void handleIsLentOnceToAGrant() throws Exception {
        try (RawPeer peer = greeted()) {
            long grant = opened(peer);
            for (int i = 0; i < 3; i++) {
                peer.send(new OpenShared(3 + i, grant, List.of("npu")));
                peer.receive(MemoryShared.class);
            }
            memory.closeByForce();
            peer.receive(Revoke.class);
            peer.send(new Revoked(grant));
            Patience.await("the free", this::isFree);
        }
    }

    @Test
    void importerThatReleasesTheImportIsNotAwaited() throws Exception {
        try (RawPeer peer = greeted()) {
            long grant = opened(peer);
            peer.send(new Unimport(grant));
            Patience.await("its end", () -> segment.importers().isEmpty());

            assertThat(unregistered(Duration.ofSeconds(10)).isComplete()).isTrue();
            region.close();
            memory.close();
            assertThat(isFree()).isTrue();
        }
    }
}
