package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.HomeGoneException;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.RemoteWindow;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: windows wherever a remote range stands. */
public abstract class WindowPostsContract extends Contract {
    private static final int SIZE = 4096;
    private static final int FROM = 1024;
    private static final int LENGTH = 512;

    protected WindowPostsContract(String device) {
        super(device);
    }

    @BeforeEach
    void needsTheCapability() {
        assumeTrue(pair.device().attributes().capabilities().windows(), "the device has no windows");
    }

    private record Opened(HomeSegment home, HomeGrant grant, RemoteSegment remote, RemoteWindow window) {}

    private Opened opened(Access access) {
        var context = pair.initiator().context();
        var home = pair.home().windowsOnlySegment(SIZE, Access.READ_WRITE_ATOMIC);
        var grant = home.grantTo(context.peerId(), FROM, LENGTH, access);
        var remote = context.importSegment(home.descriptor(), null);
        return new Opened(home, grant, remote, remote.importWindow(WindowKey.parse(grant.key())));
    }

    private SendSide freshQueue() {
        return pair.initiator().queue(JfsConfig.DEFAULT);
    }

    private static CompletionStatus post(SendSide queue, WorkRequestList list) {
        int posted = queue.jfs().post(list);
        list.refusal().ifPresent(refusal -> {
            throw refusal;
        });
        assertThat(posted).isEqualTo(list.size());
        return queue.awaitCompletions(list.size()).getLast().status();
    }

    /** S14.33: a list writes and reads windows with several local ranges. */
    @Rule({"S14.33", "S8.2"})
    @Test
    void listMovesSeveralRangesThroughAWindow() {
        var opened = opened(Access.READ_WRITE);
        var queue = freshQueue();
        var list = new WorkRequestList(2, 3);
        new Payload(6).fill(queue.scratch().memory(), 0, 0, 96);

        list.write(opened.window(), 8, 1)
                .from(queue.scratch(), 0, 32)
                .from(queue.scratch(), 32, 0)
                .from(queue.scratch(), 32, 64);
        assertThat(post(queue, list)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(opened.home().firstDifference(new Payload(6), FROM + 8, 0, 96))
                .isEqualTo(-1);

        queue.scratch().memory().fill((byte) 0);
        list.clear().read(opened.window(), 8, 2).into(queue.scratch(), 256, 64).into(queue.scratch(), 320, 32);
        assertThat(post(queue, list)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(new Payload(6).firstDifference(queue.scratch().memory(), 256, 0, 96))
                .isEqualTo(-1);
        assertThat(opened.home().isZero(0, FROM)).isTrue();
        assertThat(opened.grant().takeBack()).as("nothing is in progress").isTrue();
    }

    /** S14.33: atomics and inline payloads of a list work in a window. */
    @Rule("S14.33")
    @Test
    void listExecutesAtomicsInAWindow() {
        var opened = opened(Access.READ_WRITE_ATOMIC);
        var queue = freshQueue();
        opened.home().setWord(FROM + 16, 40);
        var list = new WorkRequestList(2, 1);
        list.atomic(Opcode.FADD, opened.window(), 16, 8, 2, 0, 1).into(queue.scratch(), 0, 8);
        list.write(opened.window(), 32, 2).inline(queue.scratch().memory().asSlice(0, 8));

        assertThat(post(queue, list)).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(queue.scratch().memory().get(JAVA_LONG, 0)).isEqualTo(40);
        assertThat(opened.home().word(FROM + 16)).isEqualTo(42);
        assertThat(opened.grant().takeBack()).isTrue();
    }

    /** S14.33: WRITE_NOTIFY stores bytes and value in the same window, and in two. */
    @Rule("S14.33")
    @Test
    void valueOfANotifyLandsInAWindow() {
        var opened = opened(Access.READ_WRITE);
        var other = opened(Access.READ_WRITE);
        var queue = freshQueue();
        new Payload(6).fill(queue.scratch().memory(), 0, 0, 64);
        var list = new WorkRequestList(2, 1);
        list.writeNotify(opened.window(), 0, opened.window(), 64, 11, 1).from(queue.scratch(), 0, 64);
        list.writeNotify(opened.window(), 128, other.window(), 8, 12, 2).from(queue.scratch(), 0, 64);

        assertThat(post(queue, list)).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(opened.home().firstDifference(new Payload(6), FROM, 0, 64)).isEqualTo(-1);
        assertThat(opened.home().firstDifference(new Payload(6), FROM + 128, 0, 64))
                .isEqualTo(-1);
        assertThat(opened.home().word(FROM + 64)).isEqualTo(11);
        assertThat(other.home().word(FROM + 8)).isEqualTo(12);
        assertThat(other.grant().takeBack()).isTrue();
    }

    /** S14.33: WRITE_IMM places bytes in a window, and then consumes a receive. */
    @Rule("S14.33")
    @Test
    void writeWithImmediateLandsInAWindow() {
        var opened = opened(Access.READ_WRITE);
        var receiver = pair.receiver(64);
        receiver.receive(1, 64, 7);
        var queue = freshQueue();
        new Payload(6).fill(queue.scratch().memory(), 0, 0, 64);
        var list = new WorkRequestList(1, 1);
        list.writeImmediate(receiver.target(), opened.window(), 0, 99, 1).from(queue.scratch(), 0, 64);

        assertThat(post(queue, list)).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(receiver.queue().next().immediate()).hasValue(99);
        assertThat(opened.home().firstDifference(new Payload(6), FROM, 0, 64)).isEqualTo(-1);
    }

    /** S14.33, S7.8: what is outside or not allowed stops the list there, and announces nothing. */
    @Rule({"S14.33", "S7.8", "S9.1"})
    @Test
    void refusedRequestOfAListMovesNothing() {
        var opened = opened(Access.READ);
        var writable = opened(Access.READ_WRITE);
        var queue = freshQueue();
        var scratch = queue.scratch();
        var list = new WorkRequestList(1, 1);

        assertRefused(
                UrmaStatus.ENOPERM,
                () -> post(queue, list.clear().write(opened.window(), 0, 1).from(scratch, 0, 8)));
        assertRefused(
                UrmaStatus.EINVAL,
                () -> post(queue, list.clear().read(opened.window(), LENGTH, 1).into(scratch, 0, 1)));
        assertRefused(
                UrmaStatus.ENOPERM,
                () -> post(
                        queue,
                        list.clear()
                                .atomic(Opcode.FADD, writable.window(), 0, 8, 1, 0, 1)
                                .into(scratch, 0, 8)));
        assertRefused(
                UrmaStatus.EINVAL,
                () -> post(
                        queue,
                        list.clear()
                                .writeNotify(writable.window(), 0, writable.window(), LENGTH - 4, 1, 1)
                                .from(scratch, 0, 8)));
        assertRefused(
                UrmaStatus.ENOPERM,
                () -> post(
                        queue,
                        list.clear()
                                .writeNotify(writable.window(), 0, opened.window(), 0, 1, 1)
                                .from(scratch, 0, 8)));

        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
        assertThat(writable.home().isZero(0, SIZE)).isTrue();
        assertThat(opened.grant().takeBack()).as("nothing is in progress").isTrue();
        assertThat(writable.grant().takeBack()).as("nothing is in progress").isTrue();
    }

    /** S14.33, S7.10: a list on a window that was taken back moves no byte. */
    @Rule({"S14.33", "S7.10"})
    @Test
    void listOnATakenBackWindowMovesNoByte() {
        var opened = opened(Access.READ_WRITE);
        var alive = opened(Access.READ_WRITE);
        assertThat(opened.grant().takeBack()).isTrue();
        var writer = freshQueue();
        var notifier = freshQueue();
        var list = new WorkRequestList(1, 2);

        list.write(opened.window(), 0, 1).from(writer.scratch(), 0, 8).from(writer.scratch(), 8, 8);
        assertThat(post(writer, list)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        list.clear().writeNotify(alive.window(), 0, opened.window(), 0, 5, 1).from(notifier.scratch(), 0, 8);
        assertThat(post(notifier, list)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);

        assertThat(opened.home().isZero(0, SIZE)).isTrue();
        assertThat(opened.grant().isQuiet()).isTrue();
        assertThat(alive.grant().takeBack()).isTrue();
    }

    /** S7.10: a WRITE_NOTIFY that fails at the range of its value leaves the window of its bytes, whoever noticed the end first. */
    @Rule("S7.10")
    @Test
    void notifyThatFailsAtItsValueLeavesTheWindowOfItsBytes() {
        var gone = opened(Access.READ_WRITE);
        var alive = opened(Access.READ_WRITE);
        assertThat(gone.grant().takeBack()).isTrue();
        var list = new WorkRequestList(1, 1);

        for (int attempt = 0; attempt < 2; attempt++) {
            var notifier = freshQueue();
            list.clear().writeNotify(alive.window(), 0, gone.window(), 0, 5, 1).from(notifier.scratch(), 0, 8);
            assertThat(post(notifier, list)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        }

        var writer = freshQueue();
        list.clear().write(alive.window(), 64, 1).from(writer.scratch(), 0, 8);
        assertThat(post(writer, list)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(alive.grant().takeBack()).isTrue();
    }

    /** S6.12: a WRITE_NOTIFY that fails at the range of its value is a failure of that target, and not of the other. */
    @Rule("S6.12")
    @Test
    void notifyThatFailsAtItsValueFailsThatTargetAlone() {
        var gone = opened(Access.READ_WRITE);
        var alive = opened(Access.READ_WRITE);
        assertThat(gone.grant().takeBack()).isTrue();
        var queue = pair.initiator()
                .queue(JfsConfig.builder().errorScope(ErrorScope.TARGET).build());
        var list = new WorkRequestList(1, 1);

        list.writeNotify(alive.window(), 0, gone.window(), 0, 5, 1).from(queue.scratch(), 0, 8);
        assertThat(post(queue, list)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);

        list.clear().write(alive.window(), 64, 2).from(queue.scratch(), 0, 8);
        assertThat(post(queue, list)).isEqualTo(CompletionStatus.SUCCESS);
        list.clear().write(gone.window(), 0, 3).from(queue.scratch(), 0, 8);
        assertThat(post(queue, list)).isNotEqualTo(CompletionStatus.SUCCESS);
        assertThat(alive.grant().takeBack()).isTrue();
    }

    /** S14.33: simple calls on a window count offsets from its start, and end at its end. */
    @Rule({"S14.33", "S8.1"})
    @Test
    void simpleCallsWorkInAWindow() {
        var opened = opened(Access.READ_WRITE_ATOMIC);
        byte[] bytes = new byte[LENGTH];
        bytes[0] = 1;
        bytes[LENGTH - 1] = 2;
        try (var memory = RemoteMemory.of(opened.window())) {
            assertThat(memory.lengthBytes()).isEqualTo(LENGTH);
            memory.write(0, bytes);
            assertThat(memory.read(0, LENGTH)).isEqualTo(bytes);
            assertThat(opened.home().get(FROM, LENGTH)).isEqualTo(bytes);
            memory.writeLong(8, 40);
            assertThat(memory.withTimeout(Duration.ofSeconds(30)).fetchAndAdd(8, 2))
                    .isEqualTo(40);
            assertThat(memory.readLong(8)).isEqualTo(42);
            assertRefused(UrmaStatus.EINVAL, () -> memory.read(LENGTH, 1));
            assertRefused(UrmaStatus.EINVAL, () -> memory.write(1, bytes));
        }
        assertThat(opened.home().isZero(0, FROM)).isTrue();
        assertThat(opened.home().isZero(FROM + LENGTH, SIZE - FROM - LENGTH)).isTrue();
        assertThat(opened.grant().takeBack()).isTrue();
        opened.window().close();
    }

    /** S14.33, S7.14: simple calls on a window that was taken back fail as on a segment that its home revoked. */
    @Rule({"S14.33", "S7.14"})
    @Test
    void simpleCallsOnATakenBackWindowSayThatItIsGone() {
        var opened = opened(Access.READ_WRITE);
        try (var memory = RemoteMemory.of(opened.window())) {
            memory.writeLong(0, 1);
            assertThat(opened.grant().takeBack()).isTrue();

            assertThatExceptionOfType(HomeGoneException.class).isThrownBy(() -> memory.writeLong(0, 2));
            assertThatExceptionOfType(HomeGoneException.class).isThrownBy(() -> memory.read(0, 8));
        }
        assertThat(opened.home().word(FROM)).isEqualTo(1);
    }

    // ---- S8.11

    private boolean sendsInvalidate(SendSide queue, Pair.Receiver receiver, int tokenId) {
        return queue.jfs()
                .send(Opcode.SEND_INVALIDATE, receiver.target(), queue.scratch(), 0, 8, tokenId, 3, PostFlags.DEFAULT);
    }

    private Pair.Receiver invalidating() {
        var receiver =
                pair.receiver(4096, JfrConfig.builder().allowInvalidate(true).build());
        receiver.receive(32, 64, 1);
        return receiver;
    }

    private CompletionStatus statusOfWrite(RemoteWindow window) {
        var queue = freshQueue();
        assertThat(window.write(queue.jfs(), 0, queue.scratch(), 0, 8, 0, PostFlags.DEFAULT))
                .isTrue();
        return queue.awaitCompletion().status();
    }

    /** S8.11: SEND_INVALIDATE ends the sender's windows of a windows-only segment; the slab and the windows of others stay. */
    @Rule({"S8.11", "S14.31"})
    @Test
    void sendInvalidateEndsTheWindowsOfTheSender() {
        var opened = opened(Access.READ_WRITE);
        var importOfOpened = opened.remote();
        var byImport = importOfOpened.importWindow(
                WindowKey.parse(opened.home().grant(0, 0, 64, Access.READ_WRITE).key()));
        var other = pair.anotherInitiator();
        var othersKey = opened.home().grantTo(other.context().peerId(), 2048, 64, Access.READ_WRITE);
        var others = other.context()
                .importSegment(opened.home().descriptor(), null)
                .importWindow(WindowKey.parse(othersKey.key()));
        var receiver = invalidating();
        int tokenId = opened.home().tokenId();

        assertThat(sendsInvalidate(pair.initiator().queue(), receiver, tokenId)).isTrue();

        assertThat(receiver.queue().next())
                .returns(Opcode.SEND_INVALIDATE, Outcome::opcode)
                .returns(OptionalLong.of(tokenId), Outcome::invalidatedTokenId);
        assertThat(pair.initiator().awaitCompletion()).matches(Outcome::isSuccess);
        opened.home().fill(new Payload(5));
        assertThat(statusOfWrite(opened.window())).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(statusOfWrite(byImport)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(opened.home().firstDifference(new Payload(5), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(importOfOpened.isRevoked()).isFalse();
        var queue = other.queue();
        assertThat(others.write(queue.jfs(), 0, queue.scratch(), 0, 8, 0, PostFlags.DEFAULT))
                .isTrue();
        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
        Patience.await("the window to be quiet", () -> opened.grant().takeBack());
    }

    /** S8.11: windows that are granted after the message stay, with the same import. */
    @Rule({"S8.11", "S14.31"})
    @Test
    void windowsGrantedAfterSendInvalidateStay() {
        var opened = opened(Access.READ_WRITE);
        var receiver = invalidating();
        for (int i = 0; i < 16; i++) {
            assertThat(sendsInvalidate(
                            pair.initiator().queue(), receiver, opened.home().tokenId()))
                    .isTrue();
            assertThat(receiver.queue().next().opcode()).isEqualTo(Opcode.SEND_INVALIDATE);
            assertThat(pair.initiator().awaitCompletion()).matches(Outcome::isSuccess);
            var me = pair.initiator().context().peerId();
            var later = opened.home().grantTo(me, 0, 64, Access.READ_WRITE);
            var byImport = opened.home().grant(0, 64, 64, Access.READ_WRITE);

            for (HomeGrant grant : new HomeGrant[] {later, byImport}) {
                var window = opened.remote().importWindow(WindowKey.parse(grant.key()));
                assertThat(statusOfWrite(window)).as("round %d", i).isEqualTo(CompletionStatus.SUCCESS);
            }
        }
    }

    /** S8.11: after it, only a new grant permits another import. */
    @Rule({"S8.11", "S14.32"})
    @Test
    void endedWindowPermitsNoImport() {
        var opened = opened(Access.READ_WRITE);
        var receiver = invalidating();
        sendsInvalidate(pair.initiator().queue(), receiver, opened.home().tokenId());
        assertThat(receiver.queue().next().opcode()).isEqualTo(Opcode.SEND_INVALIDATE);
        var context = pair.initiator().context();

        Patience.await("the grant to end", () -> isImportRefused(opened.home()));

        opened.home().grantTo(context.peerId(), 0, 8, Access.READ);
        context.importSegment(opened.home().descriptor(), null, Access.READ).close();
    }

    private boolean isImportRefused(HomeSegment segment) {
        try {
            pair.initiator().context().importSegment(segment.descriptor(), null).close();
            return false;
        } catch (UrmaException e) {
            assertThat(e.status()).isEqualTo(UrmaStatus.ENOPERM);
            return true;
        }
    }

    /** S8.11: a peer that has not imported the segment ends none of its windows. */
    @Rule({"S8.11", "S14.31"})
    @Test
    void sendInvalidateOfAnotherPeerEndsNoWindow() {
        var other = pair.anotherInitiator();
        var home = pair.home().windowsOnlySegment(SIZE, Access.READ_WRITE);
        var grant = home.grantTo(other.context().peerId(), 0, 64, Access.READ_WRITE);
        home.grantTo(pair.initiator().context().peerId(), 64, 64, Access.READ_WRITE);
        var window = other.context().importSegment(home.descriptor(), null).importWindow(WindowKey.parse(grant.key()));
        var receiver = invalidating();
        var sender = freshQueue();

        sendsInvalidate(sender, receiver, home.tokenId());

        assertThat(sender.awaitCompletion().status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        var queue = other.queue();
        assertThat(window.write(queue.jfs(), 0, queue.scratch(), 0, 8, 0, PostFlags.DEFAULT))
                .isTrue();
        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
    }
}
