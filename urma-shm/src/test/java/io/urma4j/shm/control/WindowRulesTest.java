package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Importer;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderWindow;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.OpenWindowTable;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.WindowsOpened;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Windows (S7.10): how many, for which import, of which generation, and until when. */
@Timeout(60)
class WindowRulesTest {
    private static final int MAX_WINDOWS = 65_536;
    private static final int OF_ONE_TABLE = 4096;

    @TempDir
    Path temporary;

    private Path directory;
    private TestContext home;
    private TestContext importer;
    private ShmSegment segment;
    private ShmImport imported;

    @BeforeEach
    void open() throws Exception {
        directory = temporary.resolve("runtime");
        home = new TestContext(directory);
        importer = new TestContext(directory);
        segment = home.share(Access.READ_WRITE);
        imported = importer.importFrom(segment, Access.READ_WRITE);
    }

    @AfterEach
    void closed() {
        importer.close();
        home.close();
    }

    private Importer theImporter() {
        return segment.importing().getFirst();
    }

    private ProviderGrant grant() {
        return segment.grant(theImporter(), 64, 128, Access.READ_WRITE);
    }

    private ProviderWindow open(ProviderGrant grant) throws Exception {
        return get(imported.window(grant.key(), LONG));
    }

    private static UrmaStatus statusOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future)).status();
    }

    private UrmaStatus refusalOf(Importer to, Access access) {
        return catchThrowableOfType(UrmaException.class, () -> segment.grant(to, 0, 8, access))
                .status();
    }

    @Test
    void aWindowIsThePartOfTheImportThatItCovers() throws Exception {
        ProviderWindow window = open(grant());

        ProviderImport part = window.begin();
        assertThat(part.lengthBytes()).isEqualTo(128);
        part.map().set(JAVA_LONG, 0, 42);
        window.end();

        assertThat(segment.memory.get(JAVA_LONG, 64)).isEqualTo(42);
        assertThat(window.isTakenBack()).isFalse();
    }

    @Test
    void onlyAnImporterGetsAWindow() {
        Importer known = theImporter();

        for (long number : new long[] {known.number() - 1, known.number() + 1}) {
            assertThat(refusalOf(new Importer(known.eid(), known.uasid(), number), Access.READ))
                    .isEqualTo(UrmaStatus.EINVAL);
        }
    }

    @Test
    void aRevokedSegmentHasNoWindows() throws Exception {
        try (RawPeer late = RawPeer.greeted(directory, home.plane)) {
            late.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            long number = late.receive(SegmentGranted.class).grant();
            Importer itself = segment.importing().stream()
                    .filter(one -> one.number() == number)
                    .findFirst()
                    .orElseThrow();
            segment.grant(itself, 0, 8, Access.READ);
            var revoked = segment.unregister(LONG);
            Revoke asked = late.receive(Revoke.class);

            assertThat(refusalOf(itself, Access.READ)).isEqualTo(UrmaStatus.EINVAL);

            late.send(new Revoked(asked.grant()));
            get(revoked);
        }
    }

    @Test
    void aWindowAllowsNoMoreThanItsImport() throws Exception {
        ShmSegment atomic = home.share(Access.READ_WRITE_ATOMIC);
        importer.importFrom(atomic, Access.READ_WRITE);
        Importer to = atomic.importing().getFirst();

        atomic.grant(to, 0, 8, Access.READ_WRITE);
        assertThat(catchThrowableOfType(UrmaException.class, () -> atomic.grant(to, 0, 8, Access.READ_WRITE_ATOMIC))
                        .status())
                .isEqualTo(UrmaStatus.ENOPERM);
    }

    @Test
    void anIsolatedSegmentHasNoWindows() throws Exception {
        try (ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "alone")) {
            ShmSegment isolated = (ShmSegment) get(home.plane.register(new SegmentRequest(
                    memory, null, null, Access.READ, TokenPolicy.PLAIN_TEXT, Token.random(), 0, true, false)));
            importer.importFrom(isolated, Access.READ);

            assertThatThrownBy(() -> isolated.grant(isolated.importing().getFirst(), 0, 8, Access.READ))
                    .hasMessageContaining("isolated");
            get(isolated.unregister(LONG));
        }
    }

    @Test
    void slotsAreDistinctUpToTheLimitAndComeBackWhenTheirWindowsAreQuiet() {
        List<ProviderGrant> grants = new ArrayList<>();
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < MAX_WINDOWS; i++) {
            grants.add(grant());
            slots.add(grants.getLast().key().slot());
        }
        assertThat(slots).hasSize(MAX_WINDOWS).allMatch(slot -> slot >= 0 && slot < MAX_WINDOWS);

        assertThat(refusalOf(theImporter(), Access.READ)).isEqualTo(UrmaStatus.ENOMEM);

        for (int which : new int[] {0, MAX_WINDOWS - 1, 17}) {
            ProviderGrant ended = grants.get(which);
            ended.takeBack();
            WindowKey next = grant().key();
            assertThat(next.slot())
                    .as("the only free slot")
                    .isEqualTo(ended.key().slot());
            assertThat(next.generation()).isGreaterThan(ended.key().generation());
        }
        assertThat(refusalOf(theImporter(), Access.READ)).isEqualTo(UrmaStatus.ENOMEM);
    }

    @Test
    void aSlotIsUsedAnewAsLateAsPossible() {
        ProviderGrant first = grant();
        first.takeBack();
        assertThat(first.isQuiet()).isTrue();

        assertThat(grant().key().slot()).isNotEqualTo(first.key().slot());
    }

    @Test
    void windowsNeedAnImport() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, home.plane);
                ShmMemory operations = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "operations")) {
            peer.send(new OpenWindows(1), operations.fd());

            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
        }
    }

    @Test
    void aWindowIsQuietOnceItIsRevokedAndNoOperationIsInProgress() throws Exception {
        ProviderGrant grant = grant();
        ProviderWindow window = open(grant);
        assertThat(grant.isQuiet()).as("in use").isFalse();
        window.begin();
        grant.takeBack();
        assertThat(grant.isQuiet()).as("an operation is in progress").isFalse();
        assertThat(window.isTakenBack()).isTrue();

        window.end();

        assertThat(grant.isQuiet()).isTrue();
        grant.takeBack();
        assertThat(grant.isQuiet()).as("revoked twice").isTrue();
    }

    @Test
    void aWorkRequestOnAWindowKeepsItBusy() throws Exception {
        ProviderGrant grant = grant();
        ProviderWindow window = open(grant);
        ShmImport part = (ShmImport) window.begin();
        part.pin();
        window.end();
        assertThat(window.unfinished()).isEqualTo(1);
        grant.takeBack();
        assertThat(grant.isQuiet()).isFalse();

        part.unpin();

        assertThat(grant.isQuiet()).isTrue();
        assertThat(window.unfinished()).isZero();
    }

    @Test
    void aRevokedWindowAllowsNoAccess() throws Exception {
        ProviderGrant grant = grant();
        ProviderWindow window = open(grant);

        grant.takeBack();

        ShmImport dead = (ShmImport) window.begin();
        assertThat(dead.isRevoked()).isTrue();
        assertThatThrownBy(() -> dead.memory.get(JAVA_LONG, 0)).isInstanceOf(IllegalStateException.class);
        window.end();
    }

    @Test
    void anImportThatHasEndedKeepsNoWindowBusy() throws Exception {
        ProviderGrant grant = grant();
        ProviderWindow window = open(grant);
        window.begin();
        grant.takeBack();
        assertThat(grant.isQuiet()).isFalse();

        get(imported.close());

        await().until(grant::isQuiet);
    }

    @Test
    void aLostImporterKeepsNoWindowBusy() throws Exception {
        ProviderGrant grant = grant();
        open(grant).begin();
        grant.takeBack();

        importer.close();

        await().until(grant::isQuiet);
    }

    @Test
    void theWindowsOfALostHomeAreRevoked() throws Exception {
        ProviderWindow window = open(grant());

        home.close();

        await().until(window::isTakenBack);
        assertThat(((ShmImport) window.begin()).isRevoked()).isTrue();
        window.end();
    }

    @Test
    void aKeyOfAnotherImportOpensNoWindow() throws Exception {
        ShmImport second = importer.importFrom(segment, Access.READ_WRITE);

        assertThat(statusOf(second.window(grantTo(imported).key(), LONG))).isEqualTo(UrmaStatus.ENOPERM);
    }

    private ProviderGrant grantTo(ShmImport one) {
        Importer to = segment.importing().stream()
                .filter(known -> known.number() == one.grant())
                .findFirst()
                .orElseThrow();
        return segment.grant(to, 0, 8, Access.READ);
    }

    @Test
    void aKeyOutsideTheTableOpensNoWindow() throws Exception {
        long number = theImporter().number();
        for (int slot : new int[] {-1, MAX_WINDOWS}) {
            var key = new WindowKey(number, slot, 1, 0, 8, Access.READ);
            assertThat(statusOf(imported.window(key, LONG))).as("slot %d", slot).isEqualTo(UrmaStatus.EINVAL);
        }
        for (int slot : new int[] {0, OF_ONE_TABLE - 1}) {
            var key = new WindowKey(number, slot, 1, 0, 8, Access.READ);
            assertThat(get(imported.window(key, LONG)).isTakenBack()).isTrue();
        }
        for (int slot : new int[] {OF_ONE_TABLE, MAX_WINDOWS - 1}) {
            var key = new WindowKey(number, slot, 1, 0, 8, Access.READ);
            assertThat(statusOf(imported.window(key, LONG)))
                    .as("slot %d of a table that the home does not have", slot)
                    .isEqualTo(UrmaStatus.EINVAL);
        }
    }

    @Test
    void aFurtherTableIsUsedWhenTheFirstIsFull() throws Exception {
        for (int i = 0; i < OF_ONE_TABLE; i++) {
            grant();
        }
        ProviderGrant grant = grant();
        assertThat(grant.key().slot()).isEqualTo(OF_ONE_TABLE);
        ProviderWindow window = open(grant);

        window.begin().map().set(JAVA_LONG, 0, 42);
        grant.takeBack();

        assertThat(segment.memory.get(JAVA_LONG, 64)).isEqualTo(42);
        assertThat(grant.isQuiet()).as("an operation is in progress").isFalse();
        assertThat(window.isTakenBack()).isTrue();
        window.end();
        assertThat(grant.isQuiet()).isTrue();
    }

    /** Its version knows one table, and would refuse the keys of others. */
    @Test
    void anImporterOfAnEarlierVersionGetsWindowsOfTheFirstTableAlone() throws Exception {
        try (RawPeer old = RawPeer.greeted(directory, home.plane);
                ShmMemory operations = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "operations")) {
            old.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            long number = old.receive(SegmentGranted.class).grant();
            Importer to = segment.importing().stream()
                    .filter(one -> one.number() == number)
                    .findFirst()
                    .orElseThrow();
            for (int i = 0; i < OF_ONE_TABLE - 1; i++) {
                grant();
            }
            assertThat(segment.grant(to, 0, 8, Access.READ).key().slot()).isEqualTo(OF_ONE_TABLE - 1);

            grant();

            assertThat(refusalOf(to, Access.READ)).isEqualTo(UrmaStatus.ENOMEM);
            for (int table : new int[] {-1, 2, Integer.MAX_VALUE}) {
                old.send(new OpenWindowTable(9, table), operations.fd());
                assertThat(old.receive(Refused.class).status())
                        .as("table %d", table)
                        .isEqualTo(UrmaStatus.EINVAL);
            }
        }
    }

    @Test
    void allWindowsOfAHomeShareOneMemory() throws Exception {
        open(grant());
        long before = tables();

        open(grant());

        assertThat(tables()).isEqualTo(before);
    }

    private long tables() throws Exception {
        return OpenDescriptors.ofContexts(directory).stream()
                .filter(target -> target.startsWith("/memfd:urma-windows"))
                .count();
    }

    /** The request fails, and its memory is closed; the next one succeeds. */
    @Test
    void windowsThatCouldNotBeOpenedAreRequestedAgain() throws Exception {
        try (RawHome raw = RawHome.at(directory, RawPeer.ID);
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs");
                ShmMemory table = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "table")) {
            var asked = raw.importBy(importer, Access.READ, LONG);
            try (RawPeer connection = raw.greet()) {
                long request = connection.receive(ImportSegment.class).request();
                connection.send(new SegmentGranted(request, 1, Access.READ, 0, 4096), memory.fd());
                ShmImport part = get(asked);
                var key = new WindowKey(1, 0, 0, 0, 8, Access.READ);
                var first = part.window(key, LONG);
                var refused = connection.receive(OpenWindows.class);
                connection.send(new Refused(refused.request(), UrmaStatus.ENOMEM, "no"));
                assertThat(statusOf(first)).isEqualTo(UrmaStatus.ENOMEM);
                assertThat(tables()).as("only the one that was received here").isEqualTo(1);

                var second = part.window(key, LONG);
                connection.send(
                        new WindowsOpened(connection.receive(OpenWindows.class).request()), table.fd());

                assertThat(get(second).isTakenBack()).isFalse();
            }
        }
    }

    @Test
    void aLostHomeOpensNoWindows() throws Exception {
        ProviderGrant grant = grant();
        importer.plane.cutOff(imported.home(), "on purpose");
        importer.settle();

        assertThat(statusOf(imported.window(grant.key(), LONG))).isEqualTo(UrmaStatus.ETIMEOUT);
    }

    @Test
    void thePeersMemoryOfItsOperationsIsExactlyOne() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, home.plane);
                ShmMemory operations = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "operations")) {
            peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            peer.receive(SegmentGranted.class);
            peer.send(new OpenWindows(2));
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EINVAL);
            peer.send(new OpenWindows(3), operations.fd(), operations.fd());
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EINVAL);

            peer.send(new OpenWindows(4), operations.fd());
            assertThat(peer.receive()).contains(new WindowsOpened(4));
            peer.send(new OpenWindows(5), operations.fd());
            assertThat(peer.receive()).as("a second time").contains(new WindowsOpened(5));
            assertThat(mappingsOfOperations())
                    .as("the peer's own mapping, and the last one")
                    .isEqualTo(2);
        }
        await().until(() -> segment.importing().size() == 1);
        await().until(() -> mappingsOfOperations() == 0);
    }

    /** Each repetition costs the engine the end of a mapping, by which all threads are stopped. */
    @Test
    void windowsAreNotOpenedAgainAndAgain() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, home.plane);
                ShmMemory operations = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "operations")) {
            peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            peer.receive(SegmentGranted.class);
            for (int request = 2; request < 5; request++) {
                peer.send(new OpenWindows(request), operations.fd());
            }

            assertThat(peer.receive()).contains(new WindowsOpened(2));
            assertThat(peer.receive()).as("it could not map the answer").contains(new WindowsOpened(3));
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EAGAIN);
            await().until(() -> {
                peer.send(new OpenWindows(6), operations.fd());
                return peer.receive().orElseThrow() instanceof WindowsOpened;
            });
        }
    }

    /** An importer that could map no answer asks for each of its tables again. */
    @Test
    void eachTableOfAnImporterIsOpenedAgain() throws Exception {
        for (int i = 0; i <= OF_ONE_TABLE; i++) {
            grant();
        }
        try (RawPeer peer = RawPeer.greeted(directory, home.plane);
                ShmMemory operations = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "operations")) {
            peer.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            peer.receive(SegmentGranted.class);
            for (int request = 2; request < 6; request++) {
                peer.send(new OpenWindowTable(request, request % 2), operations.fd());

                assertThat(peer.receive()).contains(new WindowsOpened(request));
            }
            peer.send(new OpenWindowTable(6, 1), operations.fd());
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EAGAIN);
        }
    }

    private static long mappingsOfOperations() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("/memfd:operations")).count();
        }
    }

    @Test
    void aClosedBoardGivesNoTable() {
        var board = new GrantBoard("test");
        board.table(0);
        board.close();

        assertThat(catchThrowableOfType(UrmaException.class, () -> board.table(0))
                        .status())
                .isEqualTo(UrmaStatus.EINVAL);
    }
}
