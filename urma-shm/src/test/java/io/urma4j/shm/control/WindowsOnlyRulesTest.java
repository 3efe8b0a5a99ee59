package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Eid;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.WindowsOpened;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Imports of windows-only segments, message by message (S14.31, S14.32). */
@Timeout(60)
class WindowsOnlyRulesTest {
    /** What {@link RawPeer} claims to be. */
    private static final io.urma4j.PeerId RAW =
            new io.urma4j.PeerId(Eid.ofIpv4(1), RawPeer.UASID, RawPeer.ID.incarnation());

    @TempDir
    Path temporary;

    private Path directory;
    private TestContext home;
    private ShmSegment segment;
    private HeldLock lock;

    @BeforeEach
    void open() throws Exception {
        directory = temporary.resolve("runtime");
        home = new TestContext(directory);
        lock = new HeldLock(directory, RawPeer.ID);
        ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "slab");
        segment = (ShmSegment) get(home.plane.register(new SegmentRequest(
                memory, null, null, Access.READ_WRITE, TokenPolicy.NONE, Token.of(0), 0, false, true)));
    }

    @AfterEach
    void close() {
        lock.close();
        home.close();
    }

    private ImportSegment wanted(long request, @Nullable Token token) {
        return new ImportSegment(request, segment.tokenId(), segment.key(), Access.READ_WRITE, token);
    }

    @Test
    void aPeerWithoutAGrantGetsNoMemory() throws Exception {
        segment.grant(new io.urma4j.PeerId(RAW.eid(), RAW.uasid(), RAW.incarnation() + 1), 0, 8, Access.READ);
        try (RawPeer peer = RawPeer.greeted(directory, home.plane)) {
            peer.send(wanted(1, null));
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
            peer.send(wanted(2, segment.token()));
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
            assertThat(peer.received).isEmpty();
        }
    }

    @Test
    void theHomeSaysThatTheImportOpensNothing() throws Exception {
        segment.grant(RAW, 0, 8, Access.READ);
        try (RawPeer peer = RawPeer.greeted(directory, home.plane)) {
            peer.send(wanted(1, null));

            assertThat(peer.receive(SegmentGranted.class).access()).isEqualTo(Access.LOCAL_ONLY);
        }
    }

    /** Else the second one would share the windows of the first. */
    @Test
    void theSecondToClaimAnIdentityHasNoneOfItsWindows() throws Exception {
        segment.grant(RAW, 0, 8, Access.READ);
        PeerId elsewhere = new PeerId("d".repeat(32), RawPeer.ID.incarnation());
        try (RawPeer first = RawPeer.greeted(directory, home.plane);
                RawPeer second = RawPeer.greeted(directory, home.plane, elsewhere)) {
            second.send(wanted(1, null));
            assertThat(second.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
            first.send(wanted(1, null));
            assertThat(first.receive(SegmentGranted.class).request()).isEqualTo(1);
        }
    }

    /** A process that greets with the identity of another one before that does. */
    @Test
    void whomTheLockOfItsUasidDoesNotNameIsNotWhatItClaimsToBe() throws Exception {
        segment.grant(RAW, 0, 8, Access.READ);
        PeerId elsewhere = new PeerId("d".repeat(32), RawPeer.ID.incarnation());
        try (RawPeer forger = RawPeer.greeted(directory, home.plane, elsewhere)) {
            forger.send(wanted(1, null));
            assertThat(forger.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
            try (RawPeer original = RawPeer.greeted(directory, home.plane)) {
                original.send(wanted(1, null));
                assertThat(original.receive(SegmentGranted.class).request()).isEqualTo(1);
            }
        }
    }

    /** A window is busy while its peer has an operation on it, however the peer got there. */
    @Test
    void aWindowByIdentityIsBusyWhileItsPeerSaysSo() throws Exception {
        var grant = segment.grant(RAW, 0, 8, Access.READ);
        try (RawPeer peer = RawPeer.greeted(directory, home.plane);
                ShmMemory operations = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "operations")) {
            peer.send(wanted(1, null));
            peer.receive(SegmentGranted.class);
            peer.send(new OpenWindows(2), operations.fd());
            peer.receive(WindowsOpened.class);
            WindowTable.begin(operations.segment(), grant.key().slot());

            grant.takeBack();

            assertThat(grant.isQuiet()).isFalse();
            WindowTable.end(operations.segment(), grant.key().slot());
            assertThat(grant.isQuiet()).isTrue();
        }
    }

    /** It has imported nothing, so no operation of it delays the end. */
    @Test
    void windowsEndWithAPeerThatHoldsNothing() throws Exception {
        var grant = segment.grant(RAW, 0, 8, Access.READ);
        RawPeer.greeted(directory, home.plane).close();
        home.settle();
        assertThat(grant.isQuiet()).as("its end is not proven").isFalse();

        lock.close();

        await().until(grant::isQuiet);
        assertThat(home.lost).as("its end affects no queue").isEmpty();
    }

    @Test
    void aPeerWhoseConnectionEndsMayComeAgain() throws Exception {
        var grant = segment.grant(RAW, 0, 8, Access.READ);
        for (int time = 0; time < 3; time++) {
            RawPeer.greeted(directory, home.plane).close();
        }
        try (RawPeer again = RawPeer.greeted(directory, home.plane)) {
            again.send(wanted(1, null));

            assertThat(again.receive(SegmentGranted.class).request()).isEqualTo(1);
            assertThat(grant.isQuiet()).isFalse();
        }
    }

    /** Until it comes again, its end may still be proven. */
    @Test
    void aPeerThatComesAgainHasOnePlace() throws Exception {
        try (TestContext small = new TestContext(directory, new PeerLimits(1000, 2))) {
            ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "slab");
            var slab = get(small.plane.register(new SegmentRequest(
                    memory, null, null, Access.READ_WRITE, TokenPolicy.NONE, Token.of(0), 0, false, true)));
            var grant = slab.grant(RAW, 0, 8, Access.READ);
            for (int time = 0; time < 5; time++) {
                RawPeer.greeted(directory, small.plane).close();
                small.settle();
            }
            assertThat(grant.isQuiet()).isFalse();

            lock.close();

            await().until(grant::isQuiet);
        }
    }

    /** Its window is of use to it as long as it lives. */
    @Test
    void aPeerWithAWindowMakesPlaceForNoOther() throws Exception {
        try (TestContext small = new TestContext(directory, new PeerLimits(1000, 1))) {
            ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "slab");
            var slab = get(small.plane.register(new SegmentRequest(
                    memory, null, null, Access.READ_WRITE, TokenPolicy.NONE, Token.of(0), 0, false, true)));
            var grant = slab.grant(RAW, 0, 8, Access.READ);
            try (RawPeer _ = RawPeer.greeted(directory, small.plane);
                    RawPeer other = RawPeer.connectedTo(directory, small.plane)) {
                other.send(RawPeer.hello(small.plane.incarnation(), 1));
                assertThat(other.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
                assertThat(grant.isQuiet()).isFalse();
                grant.takeBack();

                try (RawPeer third = RawPeer.connectedTo(directory, small.plane)) {
                    third.send(RawPeer.hello(small.plane.incarnation(), 2));
                    third.receive(Hello.class);
                }
            }
        }
    }

    /** One round trip: the table of windows is requested before the import is answered. */
    @Test
    void theFirstUseCostsOneRoundTrip() throws Exception {
        try (TestContext importer = new TestContext(directory);
                RawHome raw = RawHome.at(directory, RawPeer.ID);
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs");
                ShmMemory table = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "table")) {
            SegmentDescriptor descriptor = windowsOnly(raw.segment(Access.READ_WRITE, 0));
            var asked = importer.plane.importSegment(new ImportRequest(descriptor, null, Access.READ_WRITE, LONG));
            try (RawPeer connection = raw.greet()) {
                long request = connection.receive(ImportSegment.class).request();
                long tables = connection.receive(OpenWindows.class).request();
                connection.send(new SegmentGranted(request, 1, Access.LOCAL_ONLY, 0, 4096), memory.fd());
                connection.send(new WindowsOpened(tables), table.fd());

                assertThat(get(asked).isWindowsOnly()).isTrue();
            }
        }
    }

    /** An earlier version has no import that opens nothing: it refuses what LOCAL_ONLY does not cover. */
    @Test
    void lessThanWantedIsRefusedUnlessItIsNothing() throws Exception {
        try (TestContext importer = new TestContext(directory);
                RawHome raw = RawHome.at(directory, RawPeer.ID);
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs")) {
            var asked = raw.importBy(importer, Access.READ_WRITE, LONG);
            try (RawPeer connection = raw.greet()) {
                long request = connection.receive(ImportSegment.class).request();
                connection.send(new SegmentGranted(request, 1, Access.READ, 0, 4096), memory.fd());

                assertThatThrownBy(() -> get(asked))
                        .isInstanceOf(UrmaException.class)
                        .hasMessageContaining("granted READ although READ_WRITE was requested");
            }
        }
    }

    private static SegmentDescriptor windowsOnly(SegmentDescriptor d) {
        return new SegmentDescriptor(
                d.eid(),
                d.uasid(),
                d.incarnation(),
                d.tokenId(),
                d.lengthBytes(),
                d.access(),
                d.policy(),
                new Capabilities(true, true, true, true, d.capabilities().memory()),
                d.endpoints());
    }
}
