package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import io.urma4j.shm.bounce.BounceLayout;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.OpenBounce;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a home of device memory answers to importers, message by message. */
class DeviceImportRulesTest {
    private static final RegionUser NO_KEYS = new RegionUser() {
        @Override
        public void revoke(InvalidationReason reason) {}

        @Override
        public void invalidated(InvalidationReason reason) {}
    };

    private Path directory;
    private Urma urma;
    private DeviceMemory memory;
    private PeerRegion region;
    private TestContext home;
    private ShmSegment segment;

    @BeforeEach
    void open(@TempDir Path temporary) throws Exception {
        directory = temporary.resolve("runtime");
        urma = Urma.open(UrmaOptions.DEFAULT
                .withRuntimeDirectory(temporary.resolve("other"))
                .withSetting("urma.npu", "1"));
        memory = urma.peerMemory().allocate("npu", 0, 4096);
        region = memory.pin(true, List.of());
        region.activate(NO_KEYS);
        home = new TestContext(directory);
        SegmentRequest request = new SegmentRequest(
                null, null, region, Access.READ_WRITE, TokenPolicy.PLAIN_TEXT, Token.random(), 0, false, false);
        segment = (ShmSegment) home.plane.register(request).get(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        home.close();
        region.close();
        memory.close();
        urma.close();
    }

    private ImportSegment request() {
        return new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ_WRITE, segment.token());
    }

    private RawPeer greeted() throws Exception {
        RawPeer peer = RawPeer.connectedTo(directory, home.plane);
        Hello plain = RawPeer.hello(home.plane.incarnation());
        peer.send(new Hello(
                plain.major(),
                plain.minor(),
                ControlCodec.FEATURE_DEVICE_MEMORY,
                0,
                plain.eid(),
                plain.uasid(),
                plain.incarnation(),
                plain.wanted(),
                plain.address()));
        peer.receive(Hello.class);
        return peer;
    }

    @Test
    void importerOfAnEarlierVersionIsRefused() throws Exception {
        try (RawPeer old = RawPeer.greeted(directory, home.plane)) {
            old.send(request());

            assertThat(old.receive(Refused.class))
                    .returns(UrmaStatus.EINVAL, Refused::status)
                    .matches(refused -> refused.reason().contains("device memory"));
        }
    }

    @Test
    void bounceBufferIsTakenOnceAndOnlyFromAnImporter() throws Exception {
        try (RawPeer peer = greeted();
                ShmMemory buffer = ShmMemory.allocate(BounceLayout.BYTES, AllocOptions.DEFAULT, "buffer");
                ShmMemory small = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "small")) {
            peer.send(new OpenBounce(2), buffer.fd());
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);

            peer.send(request());
            assertThat(peer.receive(SegmentGranted.class).lengthBytes()).isEqualTo(4096);
            assertThat(peer.received).as("descriptors of device memory").isEmpty();
            peer.send(new OpenBounce(3));
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EINVAL);
            peer.send(new OpenBounce(4), small.fd());
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
            peer.send(new OpenBounce(5), buffer.fd());
            assertThat(peer.receive(Done.class).request()).isEqualTo(5);
            peer.send(new OpenBounce(6), buffer.fd());
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EINVAL);
        }
    }
}
