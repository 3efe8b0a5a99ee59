package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PeerId;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.SegmentConfig;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SEMANTICS §14: segments that open only windows, and windows that are granted to peers by their identity. */
public abstract class WindowsOnlyContract extends Contract {
    private static final int SIZE = 4096;
    private static final int FROM = 1024;
    private static final int LENGTH = 512;

    /** Of the windows that a context has at a time. */
    private static final int MORE_THAN_HALF = 40_000;

    protected WindowsOnlyContract(String device) {
        super(device);
    }

    @BeforeEach
    void needsTheCapability() {
        assumeTrue(pair.device().attributes().capabilities().windows(), "the device has no windows");
    }

    /** A windows-only segment of the home, a window for the initiator, and its import. */
    private record Opened(HomeSegment home, HomeGrant grant, RemoteSegment remote) {
        RemoteWindow window() {
            return remote.importWindow(WindowKey.parse(grant.key()));
        }
    }

    private Opened opened(Access access) {
        var home = pair.home().windowsOnlySegment(SIZE, Access.READ_WRITE_ATOMIC);
        var grant = home.grantTo(me(), FROM, LENGTH, access);
        return new Opened(home, grant, importOf(home.descriptor()));
    }

    private PeerId me() {
        return pair.initiator().context().peerId();
    }

    private RemoteSegment importOf(SegmentDescriptor descriptor) {
        return pair.initiator().context().importSegment(descriptor, null);
    }

    private SendSide freshQueue() {
        return pair.initiator().queue(JfsConfig.DEFAULT);
    }

    /** S7.16: a peer that runs urma4j gets windows by its identity, and an unbound Jetty has no peer. */
    @Rule("S7.16")
    @Test
    void jettyWithoutARocePeerGetsNoRange() {
        assumeTrue(
                pair.device().attributes().capabilities().modes().contains(TransportMode.RC), "the device has no RC");
        var context = pair.initiator().context();
        var bound = ((LocalHomeQueue) pair.connection().here()).jetty();
        try (var memory = context.allocate(SIZE);
                var slab = context.register(
                        memory, SegmentConfig.of(Access.READ_WRITE).withWindowsOnly());
                var whole = context.register(memory, Access.READ_WRITE)) {
            assertRefused(UrmaStatus.EINVAL, () -> slab.grant(bound, FROM, LENGTH, Access.READ))
                    .hasMessageContaining("is bound to no RoCE endpoint");
            assertRefused(UrmaStatus.EINVAL, () -> whole.grant(bound, FROM, LENGTH, Access.READ))
                    .hasMessageContaining("is not windows-only");
            assertRefused(UrmaStatus.EINVAL, () -> slab.grant(bound, SIZE - 8, 9, Access.READ));
        }
    }

    // ---- S14.31

    /** S14.31: the import allows no operation, no simple call and no mapping by itself. */
    @Rule({"S14.31", "S7.8"})
    @Test
    void importOpensNothingByItself() {
        var opened = opened(Access.READ_WRITE_ATOMIC);
        assertThat(opened.home().descriptor().capabilities().windowsOnly()).isTrue();

        assertOpensNothing(opened.remote());

        assertThat(opened.home().isZero(0, SIZE)).isTrue();
    }

    private void assertOpensNothing(RemoteSegment remote) {
        var queue = freshQueue();
        var scratch = queue.scratch();
        assertRefused(UrmaStatus.ENOPERM, () -> queue.jfs().write(remote, FROM, scratch, 0, 8, 1))
                .hasMessageContaining("windows-only");
        assertRefused(UrmaStatus.ENOPERM, () -> queue.jfs().read(remote, FROM, scratch, 0, 8, 1));
        assertRefused(UrmaStatus.ENOPERM, () -> queue.jfs().read(remote, FROM, scratch, 0, 0, 1));
        assertRefused(UrmaStatus.ENOPERM, () -> queue.jfs().fetchAndAdd(remote, FROM, scratch, 0, 1, 1));
        assertRefused(UrmaStatus.ENOPERM, () -> RemoteMemory.of(remote)).hasMessageContaining("windows-only");
        assertRefused(UrmaStatus.ENOPERM, remote::map).hasMessageContaining("windows-only");
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** S14.31: windows work with that import, and nothing around them changes. */
    @Rule("S14.31")
    @Test
    void windowsOfTheImportWork() {
        var opened = opened(Access.READ_WRITE_ATOMIC);
        var window = opened.window();
        var queue = freshQueue();
        new Payload(4).fill(queue.scratch().memory(), 0, 0, LENGTH);

        assertThat(queue.write(window, 0, LENGTH).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(opened.home().firstDifference(new Payload(4), FROM, 0, LENGTH))
                .isEqualTo(-1);
        queue.scratch().memory().fill((byte) 0);
        assertThat(queue.read(window, 8, 64).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(new Payload(4).firstDifference(queue.scratch().memory(), 0, 8, 64))
                .isEqualTo(-1);
        opened.home().setWord(FROM + 16, 40);
        assertThat(window.atomic(queue.jfs(), Opcode.FADD, 16, queue.scratch(), 0, 8, 2, 0, 1, PostFlags.DEFAULT))
                .isTrue();
        assertThat(queue.awaitCompletion().isSuccess()).isTrue();

        assertThat(opened.home().word(FROM + 16)).isEqualTo(42);
        assertThat(opened.home().isZero(0, FROM)).isTrue();
        assertThat(opened.home().isZero(FROM + LENGTH, SIZE - FROM - LENGTH)).isTrue();
    }

    /** S14.31: the importer may be granted further windows, by its import or by its identity. */
    @Rule({"S14.31", "S7.10"})
    @Test
    void importerGetsFurtherWindows() {
        var opened = opened(Access.READ);
        var byImport = opened.home().grant(0, 0, 64, Access.READ_WRITE);
        var byIdentity = opened.home().grantTo(me(), 64, 64, Access.READ_WRITE);
        var queue = freshQueue();

        for (HomeGrant each : new HomeGrant[] {byImport, byIdentity}) {
            var window = opened.remote().importWindow(WindowKey.parse(each.key()));
            assertThat(queue.write(window, 0, 64).status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(each.takeBack()).isTrue();
            assertThat(freshQueue().write(window, 0, 64).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        }
        assertThat(freshQueue().read(opened.window(), 0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    /** S14.31: the home decides, not the descriptor: one that hides what the segment is opens no more. */
    @Rule({"S14.31", "S1.4"})
    @Test
    void forgedDescriptorOpensNoMore() {
        var home = pair.home().windowsOnlySegment(SIZE, Access.READ_WRITE_ATOMIC);
        var grant = home.grantTo(me(), FROM, LENGTH, Access.READ_WRITE);
        var remote = importOf(asWhole(home.descriptor()));

        assertOpensNothing(remote);

        var window = remote.importWindow(WindowKey.parse(grant.key()));
        assertThat(freshQueue().write(window, 0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(home.isZero(0, FROM)).isTrue();
    }

    private static SegmentDescriptor asWhole(SegmentDescriptor d) {
        Capabilities can = d.capabilities();
        return new SegmentDescriptor(
                d.eid(),
                d.uasid(),
                d.incarnation(),
                d.tokenId(),
                d.lengthBytes(),
                d.access(),
                d.policy(),
                new Capabilities(can.oneSided(), can.mappable(), can.atomics(), can.memory()),
                d.endpoints());
    }

    /** S14.31: its text keeps that a segment is windows-only. */
    @Rule({"S14.31", "S1.4"})
    @Test
    void descriptorTellsThatASegmentIsWindowsOnly() {
        var descriptor = pair.home().windowsOnlySegment(SIZE, Access.READ).descriptor();

        assertThat(SegmentDescriptor.parse(descriptor.toText())).isEqualTo(descriptor);
        assertThat(descriptor.policy()).isEqualTo(TokenPolicy.NONE);
    }

    /** S14.31: what contradicts windows is refused, and leaves the memory free. */
    @Rule({"S14.31", "S2.2"})
    @Test
    void contradictionsAreRefused() {
        var context = pair.initiator().context();
        var memory = context.allocate(SIZE);
        SegmentConfig config = SegmentConfig.of(Access.READ_WRITE).withWindowsOnly();

        assertRefused(
                UrmaStatus.EINVAL,
                () -> context.register(
                        memory, SegmentConfig.of(Access.LOCAL_ONLY).withWindowsOnly()));
        assertRefused(UrmaStatus.EINVAL, () -> context.register(memory, config.withIsolation()))
                .hasMessageContaining("isolat");
        assertRefused(UrmaStatus.EINVAL, () -> context.register(memory, config.withPolicy(TokenPolicy.PLAIN_TEXT)))
                .hasMessageContaining("NONE");
        var segment = context.register(memory, config);
        assertRefused(UrmaStatus.EINVAL, () -> segment.publish("windows-only-segment"))
                .hasMessageContaining("windows-only");
        segment.close();
        memory.close();
    }

    // ---- S14.32

    /** S14.32: without a live grant to the importer the import is refused, with any token; the home raises an event. */
    @Rule({"S14.32", "S7.6"})
    @Test
    void importWithoutAGrantIsRefused() {
        var home = pair.home().windowsOnlySegment(SIZE, Access.READ_WRITE);
        var shared = home.shared();
        var context = pair.initiator().context();

        assertRefused(UrmaStatus.ENOPERM, () -> context.importSegment(shared.descriptor(), null));
        assertRefused(UrmaStatus.ENOPERM, () -> context.importSegment(shared.descriptor(), shared.token()));
        assertRefused(UrmaStatus.ENOPERM, () -> context.importSegment(asWhole(shared.descriptor()), shared.token()));

        assertThat(home.importers()).isEmpty();
        pair.home().awaitEvent(AsyncEvent.Type.IMPORT_REFUSED);
    }

    /** S14.32: a grant for another identity, however near, permits nothing. */
    @Rule({"S14.32", "S1.5"})
    @ParameterizedTest
    @CsvSource({"1, 0", "-1, 0", "0, 1", "0, -1"})
    void grantForAnotherIdentityPermitsNothing(long incarnation, int uasid) {
        var home = pair.home().windowsOnlySegment(SIZE, Access.READ_WRITE);
        var near = new PeerId(me().eid(), (me().uasid() + uasid) & 0xFF_FFFF, me().incarnation() + incarnation);
        var grant = home.grantTo(near, 0, 64, Access.READ_WRITE);

        assertRefused(UrmaStatus.ENOPERM, () -> importOf(home.descriptor()));

        home.grantTo(me(), 64, 64, Access.READ_WRITE);
        var remote = importOf(home.descriptor());
        assertRefused(UrmaStatus.ENOPERM, () -> remote.importWindow(WindowKey.parse(grant.key())));
        assertThat(grant.takeBack()).as("it has no user").isTrue();
    }

    /** S14.32: a grant that was taken back permits no import, and a later one does. */
    @Rule("S14.32")
    @Test
    void takenBackGrantPermitsNoImport() {
        var home = pair.home().windowsOnlySegment(SIZE, Access.READ_WRITE);
        assertThat(home.grantTo(me(), 0, 64, Access.READ_WRITE).takeBack()).isTrue();

        assertRefused(UrmaStatus.ENOPERM, () -> importOf(home.descriptor()));

        home.grantTo(me(), 0, 64, Access.READ_WRITE);
        assertThat(importOf(home.descriptor()).access()).isEqualTo(Access.READ_WRITE);
    }

    /** S14.32, S7.10: a window by identity that was taken back moves no byte, by old handles or by old keys. */
    @Rule({"S14.32", "S7.10"})
    @Test
    void takenBackWindowMovesNoByte() {
        var opened = opened(Access.READ_WRITE);
        var window = opened.window();
        assertThat(freshQueue().write(window, 0, 64).status()).isEqualTo(CompletionStatus.SUCCESS);
        opened.home().fill(new Payload(8));

        assertThat(opened.grant().takeBack()).isTrue();

        assertThat(freshQueue().write(window, 0, 64).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(freshQueue().write(opened.window(), 0, 64).status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(opened.home().firstDifference(new Payload(8), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(opened.grant().isQuiet()).isTrue();
    }

    /** S14.32, S7.8: one byte beyond the window is refused at post. */
    @Rule({"S14.32", "S7.8"})
    @ParameterizedTest
    @CsvSource({"512, 1", "511, 2", "0, 513", "-1, 1", "9223372036854775807, 1"})
    void oneByteBeyondTheWindowIsRefused(long offset, long lengthBytes) {
        var window = opened(Access.READ_WRITE).window();
        var queue = freshQueue();

        assertRefused(
                UrmaStatus.EINVAL,
                () -> window.write(queue.jfs(), offset, queue.scratch(), 0, lengthBytes, 0, PostFlags.DEFAULT));
        assertRefused(
                UrmaStatus.EINVAL,
                () -> window.read(queue.jfs(), offset, queue.scratch(), 0, lengthBytes, 0, PostFlags.DEFAULT));
    }

    /** S14.32: the key is for one peer: another peer with a grant of its own gets ENOPERM. */
    @Rule("S14.32")
    @Test
    void keyOpensNothingToAnotherPeer() {
        var opened = opened(Access.READ_WRITE);
        var other = pair.anotherInitiator().context();
        opened.home().grantTo(other.peerId(), 0, 64, Access.READ_WRITE);
        var its = other.importSegment(opened.home().descriptor(), null);

        assertRefused(
                        UrmaStatus.ENOPERM,
                        () -> its.importWindow(WindowKey.parse(opened.grant().key())))
                .hasMessageContaining("another");
    }

    /** S14.32: the key is for one segment: on another one of the same home it opens nothing. */
    @Rule("S14.32")
    @Test
    void keyOpensNoOtherSegment() {
        var opened = opened(Access.READ_WRITE);
        var another = opened(Access.READ_WRITE);

        assertRefused(
                UrmaStatus.ENOPERM,
                () -> another.remote()
                        .importWindow(WindowKey.parse(opened.grant().key())));
    }

    /** S14.32: the key is for all imports of the segment by that peer. */
    @Rule("S14.32")
    @Test
    void keyOpensTheWindowOnEachImport() {
        var opened = opened(Access.READ_WRITE);
        var again = importOf(opened.home().descriptor());
        opened.remote().close();

        var window = again.importWindow(WindowKey.parse(opened.grant().key()));

        assertThat(freshQueue().write(window, 0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    /** S14.32: on a segment that opens as a whole, a window is granted before the import, which needs the token. */
    @Rule({"S14.32", "S7.6"})
    @Test
    void windowOfAnOrdinarySegmentPrecedesItsImport() {
        var home = pair.home().segment(SIZE, Access.READ_WRITE);
        var grant = home.grantTo(me(), FROM, LENGTH, Access.READ);
        var shared = home.shared();
        var context = pair.initiator().context();

        assertRefused(
                UrmaStatus.ENOPERM,
                () -> context.importSegment(
                        shared.descriptor(), Token.of(shared.token().value() + 1)));

        var window = context.importSegment(shared).importWindow(WindowKey.parse(grant.key()));
        assertThat(freshQueue().read(window, 0, LENGTH).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(grant.takeBack()).isTrue();
        assertThat(freshQueue().read(window, 0, LENGTH).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /** S14.32: more than the segment allows, ranges outside, and windows of isolated segments are refused. */
    @Rule({"S14.32", "S2.2"})
    @Test
    void impossibleGrantsAreRefused() {
        var context = pair.initiator().context();
        var segment = pair.home().windowsOnlySegment(SIZE, Access.READ);
        var isolated = context.register(
                context.allocate(SIZE), SegmentConfig.of(Access.READ).withIsolation());

        assertRefused(UrmaStatus.EINVAL, () -> segment.grantTo(me(), 0, 8, Access.READ_WRITE));
        assertRefused(UrmaStatus.EINVAL, () -> segment.grantTo(me(), 0, 8, Access.LOCAL_ONLY));
        assertRefused(UrmaStatus.EINVAL, () -> segment.grantTo(me(), SIZE - 7, 8, Access.READ));
        assertRefused(UrmaStatus.EINVAL, () -> isolated.grant(me(), 0, 8, Access.READ))
                .hasMessageContaining("isolated");
        assertRefused(UrmaStatus.ENOPERM, () -> importOf(segment.descriptor()));
    }

    /** S14.32, S7.9: the end of the segment ends the windows of its importers, and of peers that never connected. */
    @Rule({"S14.32", "S7.9"})
    @Test
    void windowsEndWithTheirSegment() {
        var opened = opened(Access.READ_WRITE);
        var window = opened.window();
        var unused = opened.home().grantTo(new PeerId(me().eid(), 77, 7), 0, 8, Access.READ);

        opened.home().unregister(Patience.LIMIT);
        opened.home().fill(new Payload(1));

        assertThat(freshQueue().write(window, 0, 64).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(opened.home().firstDifference(new Payload(1), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(opened.grant().takeBack()).isTrue();
        assertThat(unused.takeBack()).isTrue();
    }

    /** S14.32, S12.4: an importer that is killed in the middle of an operation keeps no window. */
    @Rule({"S14.32", "S12.4"})
    @Test
    void deadImporterKeepsNoWindow() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var us = pair.initiator().asHome();
        var segment = us.windowsOnlySegment(SIZE, Access.READ_WRITE);
        var grant = segment.grantTo(pair.home().peerId(), 0, 64, Access.READ_WRITE);
        var imported = pair.home().importSegment(segment.shared());
        imported.holdWindow(grant.key(), us.receiver().shared());
        grant.takeBack();

        processOfHome().kill();

        Patience.await("the window to be quiet", grant::isQuiet);
    }

    /** S14.32: the grants of a peer that has connected end when its context closes, though the home takes none back. */
    @Rule({"S14.32", "S12.4"})
    @Test
    void windowsEndWithTheContextOfTheirPeer() {
        var context = pair.initiator().context();
        var segment = context.register(
                context.allocate(SIZE), SegmentConfig.of(Access.READ_WRITE).withWindowsOnly());
        var other = context.register(context.allocate(SIZE), Access.READ);
        var user = pair.anotherInitiator().context();
        var grant = segment.grant(user.peerId(), 0, 64, Access.READ_WRITE);
        var unused = other.grant(user.peerId(), 0, 64, Access.READ);
        var absent = segment.grant(new PeerId(me().eid(), 77, 7), 0, 64, Access.READ);
        user.importSegment(segment.descriptor(), null);
        assertThat(grant.isQuiet()).isFalse();

        user.close();

        Patience.await("the windows to end", () -> grant.isQuiet() && unused.isQuiet());
        assertThat(absent.isQuiet()).as("one that never came").isFalse();
    }

    /** S14.32: the grants of a peer that is killed in the middle of an operation end, and others get their room. */
    @Rule({"S14.32", "S12.4", "S7.10"})
    @Test
    void windowsEndWithADeadPeer() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var us = pair.initiator().asHome();
        var segment = us.windowsOnlySegment(SIZE, Access.READ_WRITE);
        var peer = pair.home().peerId();
        var grant = segment.grantTo(peer, 0, 64, Access.READ_WRITE);
        for (int i = 0; i < MORE_THAN_HALF; i++) {
            segment.grantTo(peer, i % SIZE, 1, Access.READ);
        }
        pair.home()
                .importSegment(segment.shared())
                .holdWindow(grant.key(), us.receiver().shared());

        processOfHome().kill();

        Patience.await("the window to end", grant::isQuiet);
        Patience.await("the import to go", () -> segment.importers().isEmpty());
        for (int i = 0; i < MORE_THAN_HALF; i++) {
            segment.grantTo(new PeerId(me().eid(), 77, 7), i % SIZE, 1, Access.READ);
        }
    }

    /** S14.32: grants to a peer that never comes cost no more than others, and come back for use. */
    @Rule({"S14.32", "S7.10"})
    @Test
    void windowsComeBackForUse() {
        var context = pair.initiator().context();
        var segment = context.register(
                context.allocate(SIZE), SegmentConfig.of(Access.READ).withWindowsOnly());
        var absent = new PeerId(me().eid(), 77, 7);

        for (int i = 0; i < 70_000; i++) {
            assertThat(segment.grant(absent, i % SIZE, 1, Access.READ).takeBack())
                    .isTrue();
        }
    }
}
