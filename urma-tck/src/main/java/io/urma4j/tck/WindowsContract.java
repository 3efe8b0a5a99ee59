package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.RemoteWindow;
import io.urma4j.Revocation;
import io.urma4j.SegmentConfig;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowGrant;
import io.urma4j.WindowKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SEMANTICS §7.10: windows that are granted without a round trip, and revoked without waiting. */
public abstract class WindowsContract extends Contract {
    private static final int SIZE = 4096;
    private static final int FROM = 1024;
    private static final int LENGTH = 512;

    /** Of the windows that a context has at a time. */
    private static final int MORE_THAN_HALF = 40_000;

    protected WindowsContract(String device) {
        super(device);
    }

    private boolean offered() {
        return pair.device().attributes().capabilities().windows();
    }

    @BeforeEach
    void needsTheCapability(TestInfo test) {
        assumeTrue(offered() || test.getDisplayName().contains("WhereTheDeviceCannot"), "the device has no windows");
    }

    /**
     * Whether the home's device executes each operation itself. Then none can be in progress without its knowledge: an
     * operation that was posted and has not arrived has not begun.
     */
    private boolean homeDoesOperations() {
        return !pair.device().attributes().capabilities().oneSided();
    }

    /** A window of an imported segment, open. */
    private record Opened(Pair.Imported imported, HomeGrant grant, RemoteWindow window) {}

    private Opened window(Access access) {
        var imported = pair.imported(SIZE, Access.READ_WRITE_ATOMIC);
        var grant = imported.home().grant(0, FROM, LENGTH, access);
        return new Opened(imported, grant, imported.remote().importWindow(WindowKey.parse(grant.key())));
    }

    private SendSide freshQueue() {
        return pair.initiator().queue(JfsConfig.DEFAULT);
    }

    /** S7.10: without the capability a grant is refused. */
    @Rule("S7.10")
    @Test
    void grantIsRefusedWhereTheDeviceCannot() {
        assumeTrue(!offered(), "the device can");
        var imported = pair.imported(SIZE);

        assertRefused(UrmaStatus.EINVAL, () -> imported.home().grant(0, 0, 8, Access.READ));
    }

    /** S7.10: the key opens the window: bytes arrive where the home granted it, and those around are unchanged. */
    @Rule("S7.10")
    @Test
    void keyOpensTheWindowAndNothingAroundIt() {
        var opened = window(Access.READ_WRITE_ATOMIC);
        var queue = freshQueue();
        new Payload(4).fill(queue.scratch().memory(), 0, 0, LENGTH);

        assertThat(queue.write(opened.window(), 0, LENGTH).status()).isEqualTo(CompletionStatus.SUCCESS);
        queue.scratch().memory().fill((byte) 0);
        assertThat(queue.read(opened.window(), 8, 64).status()).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(opened.imported().home().firstDifference(new Payload(4), FROM, 0, LENGTH))
                .isEqualTo(-1);
        assertThat(opened.imported().home().isZero(0, FROM)).isTrue();
        assertThat(opened.imported().home().isZero(FROM + LENGTH, SIZE - FROM - LENGTH))
                .isTrue();
        assertThat(new Payload(4).firstDifference(queue.scratch().memory(), 0, 8, 64))
                .isEqualTo(-1);
        assertThat(opened.window().lengthBytes()).isEqualTo(LENGTH);
        assertThat(opened.window().isTakenBack()).isFalse();
    }

    /** S7.10: a window may begin at any byte, and operations of eight bytes work at its start. */
    @Rule("S7.10")
    @Test
    void windowMayBeginAnywhere() {
        var imported = pair.imported(SIZE, Access.READ_WRITE_ATOMIC);
        var grant = imported.home().grant(0, FROM + 3, 64, Access.READ_WRITE);
        var window = imported.remote().importWindow(WindowKey.parse(grant.key()));
        var queue = freshQueue();
        new Payload(4).fill(queue.scratch().memory(), 0, 0, 8);

        assertThat(queue.write(window, 0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
        queue.scratch().memory().fill((byte) 0);
        assertThat(queue.read(window, 0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(imported.home().firstDifference(new Payload(4), FROM + 3, 0, 8))
                .isEqualTo(-1);
        assertThat(new Payload(4).firstDifference(queue.scratch().memory(), 0, 0, 8))
                .isEqualTo(-1);
    }

    /** S7.10: atomics work in a window for atomics. */
    @Rule("S7.10")
    @Test
    void atomicsWorkInAWindow() {
        var opened = window(Access.READ_WRITE_ATOMIC);
        var queue = freshQueue();
        opened.imported().home().setWord(FROM + 16, 40);

        assertThat(opened.window()
                        .atomic(queue.jfs(), Opcode.FADD, 16, queue.scratch(), 0, 8, 2, 0, 1, PostFlags.DEFAULT))
                .isTrue();

        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
        assertThat(queue.scratch().memory().get(JAVA_LONG, 0)).isEqualTo(40);
        assertThat(opened.imported().home().word(FROM + 16)).isEqualTo(42);
    }

    /** S7.10, S7.8: one byte beyond the window is refused at post, though the segment is larger. */
    @Rule({"S7.10", "S7.8"})
    @ParameterizedTest
    @CsvSource({"512, 1", "511, 2", "0, 513", "-1, 1", "0, -1", "9223372036854775807, 1", "1, 9223372036854775807"})
    void oneByteBeyondTheWindowIsRefused(long offset, long lengthBytes) {
        var opened = window(Access.READ_WRITE);
        var queue = freshQueue();

        assertRefused(
                UrmaStatus.EINVAL,
                () -> opened.window()
                        .write(queue.jfs(), offset, queue.scratch(), 0, lengthBytes, 0, PostFlags.DEFAULT));
        assertRefused(
                UrmaStatus.EINVAL,
                () -> opened.window().read(queue.jfs(), offset, queue.scratch(), 0, lengthBytes, 0, PostFlags.DEFAULT));

        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
        assertThat(opened.imported().home().isZero(0, SIZE)).isTrue();
        assertThat(opened.grant().takeBack()).as("nothing is in progress").isTrue();
    }

    /** S7.10, S7.7: a window allows what it was granted for, though the import allows more. */
    @Rule({"S7.10", "S7.7"})
    @Test
    void windowAllowsWhatItWasGrantedFor() {
        var opened = window(Access.READ);
        var queue = freshQueue();

        assertRefused(
                UrmaStatus.ENOPERM,
                () -> opened.window().write(queue.jfs(), 0, queue.scratch(), 0, 8, 0, PostFlags.DEFAULT));
        assertRefused(
                UrmaStatus.ENOPERM,
                () -> opened.window()
                        .atomic(queue.jfs(), Opcode.FADD, 0, queue.scratch(), 0, 8, 1, 0, 0, PostFlags.DEFAULT));

        assertThat(queue.read(opened.window(), 0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(opened.imported().home().isZero(0, SIZE)).isTrue();
    }

    /** S7.10: a revoked window moves no byte, by old handles or by old keys. */
    @Rule("S7.10")
    @Test
    void takenBackWindowMovesNoByte() {
        var opened = window(Access.READ_WRITE_ATOMIC);
        var home = opened.imported().home();
        home.fill(new Payload(8));

        assertThat(opened.grant().takeBack()).isTrue();
        assertThat(opened.grant().takeBack()).as("twice is once").isTrue();

        if (!homeDoesOperations()) {
            assertThat(opened.window().isTakenBack()).isTrue();
        }
        var writer = freshQueue();
        assertThat(writer.write(opened.window(), 0, 64).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(opened.window().isTakenBack()).as("known by the refusal").isTrue();
        var reader = freshQueue();
        assertThat(reader.read(opened.window(), 0, 64).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(reader.scratch().memory().toArray(JAVA_BYTE)).containsOnly(0);
        var counter = freshQueue();
        opened.window().atomic(counter.jfs(), Opcode.FADD, 0, counter.scratch(), 0, 8, 1, 0, 0, PostFlags.DEFAULT);
        assertThat(counter.awaitCompletion().status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        var late = opened.imported()
                .remote()
                .importWindow(WindowKey.parse(opened.grant().key()));
        assertThat(freshQueue().write(late, 0, 8).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(home.firstDifference(new Payload(8), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(opened.grant().isQuiet()).isTrue();
    }

    /** S7.10: the import and other windows stay usable when one is revoked; a new grant of the same bytes works. */
    @Rule("S7.10")
    @Test
    void othersGoOnWhenOneIsTakenBack() {
        var opened = window(Access.READ_WRITE);
        var home = opened.imported().home();
        var remote = opened.imported().remote();
        var neighbour = remote.importWindow(
                WindowKey.parse(home.grant(0, 0, 64, Access.READ_WRITE).key()));
        opened.grant().takeBack();

        var again = remote.importWindow(
                WindowKey.parse(home.grant(0, FROM, LENGTH, Access.READ_WRITE).key()));

        var queue = freshQueue();
        assertThat(queue.write(neighbour, 0, 64).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(queue.write(again, 0, 64).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(queue.write(remote, 0, queue.scratch(), 0, 8).isSuccess()).isTrue();
        assertThat(freshQueue().write(opened.window(), 0, 8).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /**
     * S7.10: an operation in progress keeps the window from being quiet until it ends; no caller waits meanwhile. One
     * that the home has not seen begin moves no byte.
     */
    @Rule("S7.10")
    @Test
    void operationUnderWayKeepsTheWindowFromBeingQuiet() {
        var opened = window(Access.READ_WRITE);
        var receiver = pair.receiver(64);
        var queue = freshQueue();
        new Payload(2).fill(queue.scratch().memory(), 0, 0, 64);
        assertThat(queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 1))
                .isTrue(); // waits for a receive
        assertThat(opened.window().write(queue.jfs(), 0, queue.scratch(), 0, 64, 2, PostFlags.DEFAULT))
                .isTrue(); // must follow it

        assertThat(opened.grant().takeBack()).as("quiet at once").isEqualTo(homeDoesOperations());

        assertThat(opened.grant().isQuiet()).isEqualTo(homeDoesOperations());
        assertThat(opened.window().isTakenBack()).isNotEqualTo(homeDoesOperations());
        assertRefused(UrmaStatus.EAGAIN, () -> opened.window().close()).hasMessageContaining("unfinished");
        receiver.receive(1, 64, 0);
        assertThat(queue.awaitCompletions(2))
                .extracting(Outcome::userContext, Outcome::status)
                .containsExactly(
                        tuple(1L, CompletionStatus.SUCCESS),
                        tuple(
                                2L,
                                homeDoesOperations()
                                        ? CompletionStatus.REM_ACCESS_ABORT_ERR
                                        : CompletionStatus.SUCCESS));
        assertThat(opened.imported().home().isZero(0, SIZE)).isEqualTo(homeDoesOperations());
        Patience.await("the end of the operation", () -> opened.grant().isQuiet());
        opened.window().close();
    }

    /** S7.10: revoking a window of a stopped importer takes effect at once. */
    @Rule("S7.10")
    @Test
    void takingBackDoesNotWaitForTheImporter() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var segment = pair.initiator().asHome().segment(SIZE, Access.READ_WRITE);
        pair.home().importSegment(segment.shared());
        var grant = segment.grant(0, 0, 64, Access.READ_WRITE);
        processOfHome().stop();
        try {
            long start = System.nanoTime();
            var another = segment.grant(0, 64, 64, Access.READ);

            assertThat(grant.takeBack()).isTrue();
            assertThat(another.takeBack()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
        } finally {
            processOfHome().proceed();
        }
    }

    /** S7.10: once a window is quiet, no write changes it, even while its user writes constantly. */
    @Rule("S7.10")
    @Test
    void quietWindowIsWrittenNoMore() throws Exception {
        int lengthBytes = 16 * 1024;
        var imported = pair.imported(lengthBytes, Access.READ_WRITE);
        for (int round = 0; round < 60; round++) {
            var grant = imported.home().grant(0, 0, lengthBytes, Access.READ_WRITE);
            var window = imported.remote().importWindow(WindowKey.parse(grant.key()));
            var written = new AtomicInteger();
            var last = new AtomicReference<>(CompletionStatus.SUCCESS);
            var queue = freshQueue();
            var source = pair.initiator().buffer(lengthBytes);
            source.memory().fill((byte) 0xEE);
            var writer = Thread.ofPlatform().daemon().start(() -> {
                while (last.get() == CompletionStatus.SUCCESS) {
                    window.write(queue.jfs(), 0, source, 0, lengthBytes, 0, PostFlags.DEFAULT);
                    last.set(queue.awaitCompletion().status());
                    written.incrementAndGet();
                }
            });
            Patience.await("first writes", () -> written.get() > 2);

            if (!grant.takeBack()) {
                Patience.await("the window to be quiet", grant::isQuiet);
            }
            imported.home().fill(new Payload(round));

            assertThat(writer.join(Patience.LIMIT)).isTrue();
            assertThat(last.get()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
            assertThat(imported.home().firstDifference(new Payload(round), 0, 0, lengthBytes))
                    .as("first byte that was written after the window was quiet")
                    .isEqualTo(-1);
            source.close();
        }
    }

    /** S7.10: a key is for one import: another one, also of the same segment, gets ENOPERM. */
    @Rule("S7.10")
    @Test
    void keyOpensNothingToSomebodyElse() {
        var opened = window(Access.READ_WRITE);
        var key = WindowKey.parse(opened.grant().key());
        var other = pair.anotherInitiator()
                .context()
                .importSegment(opened.imported().home().shared());

        assertRefused(UrmaStatus.ENOPERM, () -> other.importWindow(key)).hasMessageContaining("another import");
        assertThat(freshQueue().write(opened.window(), 0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    /** S7.10: impossible grants are refused, and take no room. */
    @Rule({"S7.10", "S2.2"})
    @Test
    void impossibleGrantsAreRefused() {
        var segment = pair.home().segment(SIZE, Access.READ_WRITE_ATOMIC);
        var shared = segment.shared();
        pair.initiator().context().importSegment(shared.descriptor(), shared.token(), Access.READ);

        assertRefused(UrmaStatus.EINVAL, () -> segment.grant(0, SIZE - 7, 8, Access.READ));
        assertRefused(UrmaStatus.EINVAL, () -> segment.grant(0, -1, 8, Access.READ));
        assertRefused(UrmaStatus.EINVAL, () -> segment.grant(0, 0, 0, Access.READ));
        assertRefused(UrmaStatus.EINVAL, () -> segment.grant(0, 0, 8, Access.LOCAL_ONLY));
        assertRefused(UrmaStatus.EINVAL, () -> segment.grant(0, 4, 8, Access.READ_WRITE_ATOMIC));
        assertRefused(UrmaStatus.ENOPERM, () -> segment.grant(0, 0, 8, Access.READ_WRITE))
                .hasMessageContaining("more");
        assertThat(segment.grant(0, 0, 8, Access.READ).takeBack()).isTrue();
    }

    /** S7.10, S7.7: an isolated segment has no windows, since they would not be enforced. */
    @Rule({"S7.10", "S7.7"})
    @Test
    void isolatedSegmentHasNoWindows() {
        var context = pair.initiator().context();
        var segment = context.register(
                context.allocate(SIZE),
                SegmentConfig.of(Access.READ_WRITE).withPolicy(TokenPolicy.NONE).withIsolation());
        pair.anotherInitiator().context().importSegment(segment.descriptor(), null);

        assertRefused(UrmaStatus.EINVAL, () -> segment.grant(segment.importing().getFirst(), 0, 8, Access.READ))
                .hasMessageContaining("isolated");
    }

    /** S7.10: a window cannot outlive its import, nor be granted to one that has ended. */
    @Rule({"S7.10", "S4.1"})
    @Test
    void grantEndsWithItsImport() {
        var context = pair.initiator().context();
        var segment = context.register(context.allocate(SIZE), Access.READ_WRITE);
        var user = pair.anotherInitiator().context();
        var remote = user.importSegment(segment.descriptor(), segment.token());
        var importer = segment.importing().getFirst();
        var grant = segment.grant(importer, 0, 64, Access.READ_WRITE);
        var window = remote.importWindow(grant.key());

        assertRefused(UrmaStatus.EAGAIN, remote::close).hasMessageContaining("window");
        window.close();
        remote.close();

        Patience.await("the import to go", () -> segment.importing().isEmpty());
        assertRefused(UrmaStatus.EINVAL, () -> segment.grant(importer, 0, 64, Access.READ_WRITE));
        assertThat(grant.takeBack()).isTrue();
        var queue = pair.initiator().queue();
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> window.write(queue.jfs(), 0, queue.scratch(), 0, 8, 0, PostFlags.DEFAULT))
                .hasMessageContaining("closed");
    }

    /** S7.10: the windows of an import end with it, though the home takes none of them back: others get their room. */
    @Rule("S7.10")
    @Test
    void windowsEndWithTheirImport() {
        var context = pair.initiator().context();
        var segment = context.register(context.allocate(SIZE), Access.READ_WRITE);
        var user = pair.anotherInitiator().context();
        for (int round = 0; round < 2; round++) {
            var remote = user.importSegment(segment.descriptor(), segment.token());
            var importer = segment.importing().getFirst();
            for (int i = 0; i < MORE_THAN_HALF; i++) {
                segment.grant(importer, i % SIZE, 1, Access.READ);
            }
            remote.close();
            Patience.await("the import to go", () -> segment.importing().isEmpty());
        }
    }

    /** S7.10, S12.4: the windows of an importer that was killed end, though the home takes none of them back. */
    @Rule({"S7.10", "S12.4"})
    @Test
    void windowsEndWithADeadImporter() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var segment = pair.initiator().asHome().segment(SIZE, Access.READ_WRITE);
        pair.home().importSegment(segment.shared());
        for (int i = 0; i < MORE_THAN_HALF; i++) {
            segment.grant(0, i % SIZE, 1, Access.READ);
        }

        processOfHome().kill();

        Patience.await("the import to go", () -> segment.importers().isEmpty());
        pair.anotherInitiator().context().importSegment(segment.shared());
        for (int i = 0; i < MORE_THAN_HALF; i++) {
            segment.grant(0, i % SIZE, 1, Access.READ);
        }
    }

    /** S7.10, S7.9: the end of the segment ends its windows. */
    @Rule({"S7.10", "S7.9"})
    @Test
    void windowEndsWithItsSegment() {
        var opened = window(Access.READ_WRITE);

        assertThat(opened.imported().home().unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);
        opened.imported().home().fill(new Payload(1));

        assertThat(freshQueue().write(opened.window(), 0, 64).status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(opened.imported().home().firstDifference(new Payload(1), 0, 0, SIZE))
                .isEqualTo(-1);
        assertThat(opened.grant().takeBack()).isTrue();
    }

    /** S7.10, S12.4: the death of an importer in the middle of an operation ends its grants. */
    @Rule({"S7.10", "S12.4"})
    @Test
    void deadImporterKeepsNoWindow() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var segment = pair.initiator().asHome().segment(SIZE, Access.READ_WRITE);
        var imported = pair.home().importSegment(segment.shared());
        var grant = segment.grant(0, 0, 64, Access.READ_WRITE);
        imported.holdWindow(grant.key(), pair.initiator().asHome().receiver().shared());
        assertThat(grant.takeBack()).as("no operation is in progress").isEqualTo(homeDoesOperations());

        processOfHome().kill();

        Patience.await("the window to be quiet", grant::isQuiet);
    }

    /** S7.10: a context has 65,536 windows at a time, granted and revoked any number of times; one more is refused. */
    @Rule({"S7.10", "S2.2"})
    @Test
    void windowsComeBackForUse() {
        var context = pair.initiator().context();
        var segment = context.register(context.allocate(SIZE), Access.READ_WRITE);
        var remote = pair.anotherInitiator().context().importSegment(segment.descriptor(), segment.token());
        var importer = segment.importing().getFirst();
        for (int i = 0; i < 20_000; i++) {
            try (var grant = segment.grant(importer, i % SIZE, 1, Access.READ)) {
                assertThat(grant.takeBack()).isTrue();
            }
        }
        List<WindowGrant> out = new ArrayList<>();
        UrmaException refusal = null;
        while (refusal == null && out.size() < 1_000_000) {
            try {
                out.add(segment.grant(importer, 0, 8, Access.READ));
            } catch (UrmaException e) {
                refusal = e;
            }
        }

        assertThat(out).hasSizeGreaterThanOrEqualTo(65_536);
        for (int one : new int[] {0, out.size() / 2, out.size() - 1}) {
            assertThat(remote.importWindow(out.get(one).key()).isTakenBack())
                    .as("window %d", one)
                    .isFalse();
        }
        assertThat(refusal).isNotNull();
        assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOMEM);
        out.forEach(WindowGrant::close);
        assertThat(segment.grant(importer, 0, 8, Access.READ).takeBack()).isTrue();
    }
}
