package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.LeakDetector;
import io.urma4j.buffer.LeakLevel;
import io.urma4j.buffer.LeakRecord;
import io.urma4j.buffer.RdmaBuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: registered buffers, their views, and the operations that hold them. */
public abstract class BuffersContract extends Contract {
    private static final int SIZE = 4096;

    private final CompletionBatch batch = new CompletionBatch(16);

    protected BuffersContract(String device) {
        super(device);
    }

    private UrmaContext context() {
        return pair.initiator().context();
    }

    private RdmaBuf allocate() {
        return RdmaBuf.allocate(context(), SIZE);
    }

    /** The next record of {@code queue}, alone in the batch. */
    private static CompletionStatus awaitRecord(BufQueue queue) {
        return awaitRecord(queue, new CompletionBatch(1));
    }

    private static CompletionStatus awaitRecord(BufQueue queue, CompletionBatch one) {
        Patience.await("a record in " + queue, () -> queue.poll(one) == 1);
        return one.status(0);
    }

    private static void suspend(BufQueue queue) {
        queue.modify(QueueState.SUSPENDED);
        assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.WR_SUSPEND_DONE);
    }

    private static boolean isAlive(MemorySegment memory) {
        return memory.scope().isAlive();
    }

    // ---- views

    /** S14.1: what does not fit gives an invalid view or false, and never a range elsewhere. */
    @Rule("S14.1")
    @Test
    void rangesNeverWrap() {
        try (RdmaBuf buf = allocate()) {
            BufView view = buf.view().subrange(8, 64);
            for (long huge : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 7, Long.MIN_VALUE, -1, 65}) {
                assertThat(view.subrange(huge, 2).isValid()).isFalse();
                assertThat(view.subrange(2, huge).isValid()).isFalse();
                assertThat(view.first(huge).isValid()).isFalse();
                assertThat(view.takeLast(huge).isValid()).isFalse();
                assertThat(view.advance(huge)).isFalse();
                assertThat(view.subtract(huge)).isFalse();
            }
            assertThat(view).isEqualTo(buf.view().subrange(8, 64));
        }
    }

    /** S14.2: an invalid view answers; its bytes are neither read nor posted. */
    @Rule("S14.2")
    @Test
    void anInvalidViewAnswersAndIsNotPosted() {
        var imported = pair.imported(SIZE);
        try (RdmaBuf buf = allocate();
                BufQueue queue = BufQueue.open(context())) {
            BufView none = buf.view().first(SIZE + 1);

            assertThat(none.isValid()).isFalse();
            assertThat(none.size()).isZero();
            assertThat(none.contains(buf.view().address(), 0)).isFalse();
            assertRefused(UrmaStatus.EINVAL, none::orThrow);
            assertRefused(UrmaStatus.EINVAL, none::segment);
            assertRefused(UrmaStatus.EINVAL, () -> none.getLong(0));
            assertRefused(UrmaStatus.EINVAL, () -> queue.write(imported.remote(), 0, none, 1));
            assertRefused(UrmaStatus.EINVAL, () -> queue.read(imported.remote(), 0, none, 1));
            assertThat(queue.poll(batch)).isZero();
        }
    }

    /** S14.3: the view's range counts, with its start moved and its end cut. */
    @Rule("S14.3")
    @Test
    void containsUsesTheRangeOfTheView() {
        try (RdmaBuf buf = allocate()) {
            BufView view = buf.view().subrange(100, 50);
            long begin = view.address();
            assertThat(begin).isEqualTo(buf.view().address() + 100);
            assertThat(view.contains(begin, 50)).isTrue();
            assertThat(view.contains(begin, 51)).isFalse();
            assertThat(view.contains(begin - 1, 1)).isFalse();
            assertThat(view.contains(begin + 50, 0)).isTrue();
            assertThat(view.contains(begin + 51, 0)).isFalse();
            assertThat(view.contains(begin + 1, Long.MAX_VALUE)).isFalse();
        }
    }

    /** S14.4: a size that is no multiple of a page has no more range than was asked for. */
    @Rule("S14.4")
    @Test
    void resetRangeReturnsToTheRangeOfTheLease() {
        try (RdmaBuf buf = RdmaBuf.allocate(context(), 1000)) {
            BufView view = buf.view().last(10).first(3);
            view.resetRange();
            assertThat(view).isEqualTo(buf.view());
            assertThat(view.size()).isEqualTo(1000);
        }
    }

    // ---- ownership

    /** S14.7: the second close of a handle is not that of another one. */
    @Rule("S14.7")
    @Test
    void closingTwiceReleasesOnce() {
        RdmaBuf first = allocate();
        RdmaBuf second = first.retain();
        BufView view = second.view();

        first.close();
        first.close();

        assertThat(view.getLong(0)).isZero();
        second.close();
        second.close();
        assertRefused(UrmaStatus.EINVAL, () -> view.getLong(0));
    }

    /** S14.7: a buffer that its context has closed can still be closed. */
    @Rule({"S14.7", "S4.2"})
    @Test
    void bufferIsClosedAfterItsContext() {
        var another = pair.anotherInitiator().context();
        RdmaBuf buf = RdmaBuf.allocate(another, SIZE);
        BufView view = buf.view();
        another.close();

        assertRefused(UrmaStatus.EINVAL, () -> view.getLong(0)).hasMessageContaining("is closed");
        buf.close();
        buf.close();
    }

    /** S14.8: the memory goes with the last handle, and what is still around of it throws. */
    @Rule("S14.8")
    @Test
    void memoryGoesWithTheLastHandle() {
        RdmaBuf first = allocate();
        RdmaBuf second = first.retain();
        BufView view = first.view();
        MemorySegment leaked = view.segment();

        first.close();
        assertThat(view.isValid()).isTrue();
        assertThat(isAlive(leaked)).isTrue();
        second.close();

        assertThat(view.isValid()).isFalse();
        assertThat(isAlive(leaked)).isFalse();
        assertRefused(UrmaStatus.EINVAL, view::size).hasMessageContaining("is closed");
        assertRefused(UrmaStatus.EINVAL, () -> view.putLong(0, 1)).hasMessageContaining("is closed");
        assertRefused(UrmaStatus.EINVAL, second::view).hasMessageContaining("is closed");
    }

    /** S14.8: memory of the caller's is not touched; views throw although it is there. */
    @Rule("S14.8")
    @Test
    void wrappedMemoryOutlivesItsBuffer() {
        var imported = pair.imported(SIZE);
        try (Arena arena = Arena.ofShared();
                BufQueue queue = BufQueue.open(context())) {
            MemorySegment memory = arena.allocate(64, 8);
            RdmaBuf buf = RdmaBuf.wrap(memory, context());
            BufView view = buf.view();
            LocalSegment registered = view.localSegment(context());
            view.putLong(0, 7);
            assertThat(queue.write(imported.remote(), 8, view.first(8), 1)).isTrue();
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);

            buf.close();

            assertThat(imported.home().word(8)).isEqualTo(7);
            assertRefused(UrmaStatus.EINVAL, () -> view.getLong(0)).hasMessageContaining("is closed");
            assertRefused(UrmaStatus.EINVAL, () -> queue.write(imported.remote(), 0, view, 1));
            assertThat(registered.revocation()).isPresent();
            assertThat(isAlive(memory)).isTrue();
            assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(7);
        }
    }

    /** S14.8: what was posted by hand is not pulled away, either: the close is refused, and may be tried again. */
    @Rule({"S14.8", "S2.2"})
    @Test
    void requestByHandKeepsTheLastHandleOpen() {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.suspend();
        RdmaBuf buf = allocate();
        BufView view = buf.view().subrange(16, 8);
        view.putLong(0, 9);
        assertThat(queue.jfs()
                        .write(imported.remote(), 0, view.localSegment(context()), view.localOffset(), view.size(), 1))
                .isTrue();

        assertRefused(UrmaStatus.EAGAIN, buf::close).hasMessageContaining("1 unfinished");
        assertThat(buf.isClosed()).isFalse();
        assertThat(view.getLong(0)).isEqualTo(9);
        queue.jfs().modify(QueueState.READY);
        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
        buf.close();

        assertThat(imported.home().word(0)).isEqualTo(9);
        assertThat(view.isValid()).isFalse();
    }

    // ---- operations

    /** S14.9: the bytes of the view move, and none around it. */
    @Rule("S14.9")
    @Test
    void operationsMoveExactlyTheBytesOfTheirViews() {
        var imported = pair.imported(2 * SIZE);
        try (RdmaBuf source = allocate();
                RdmaBuf destination = allocate();
                BufQueue queue = BufQueue.open(context())) {
            new Payload(14).fill(source.view().segment(), 0, 0, SIZE);

            assertThat(queue.write(imported.remote(), 57, source.view().subrange(100, 3001), 1))
                    .isTrue();
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            BufView into = destination.view().subrange(7, 3001);
            assertThat(queue.read(imported.remote(), 57, into, 2)).isTrue();
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);

            assertThat(imported.home().firstDifference(new Payload(14), 57, 100, 3001))
                    .isEqualTo(-1);
            assertThat(imported.home().isZero(0, 57)).isTrue();
            assertThat(imported.home().isZero(57 + 3001, 2 * SIZE - 57 - 3001)).isTrue();
            assertThat(new Payload(14).firstDifference(into.segment(), 0, 100, 3001))
                    .isEqualTo(-1);
            assertThat(destination.view().first(7).segment().mismatch(MemorySegment.ofArray(new byte[7])))
                    .isEqualTo(-1);
            assertThat(destination.view().getByte(7 + 3001)).isZero();
        }
    }

    /** S14.9: the same through a window. */
    @Rule("S14.9")
    @Test
    void operationsOnWindowsHoldTheirBuffers() {
        assumeTrue(pair.device().attributes().capabilities().windows(), "the device has no windows");
        var imported = pair.imported(SIZE);
        var grant = imported.home().grant(0, 1024, 64, Access.READ_WRITE);
        var window = imported.remote().importWindow(WindowKey.parse(grant.key()));
        RdmaBuf buf = allocate();
        buf.view().putLong(0, 11);
        MemorySegment memory = buf.view().segment();
        try (BufQueue queue = BufQueue.open(context())) {
            assertThat(queue.write(window, 8, buf.view().first(8), 1)).isTrue();
            assertThat(queue.read(window, 8, buf.view().last(8), 2)).isTrue();
            buf.close();
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(11);
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(isAlive(memory)).isFalse();
        }
        assertThat(imported.home().word(1024 + 8)).isEqualTo(11);
    }

    /** S14.9: a close in the middle takes no byte from the operation; the memory goes with its record. */
    @Rule("S14.9")
    @Test
    void closedBufferStaysUntilTheRecordOfItsOperation() {
        var imported = pair.imported(SIZE);
        RdmaBuf buf = allocate();
        BufView view = buf.view();
        view.putLong(0, 0x1234);
        MemorySegment memory = view.segment();
        try (BufQueue queue = BufQueue.open(context())) {
            suspend(queue);
            assertThat(queue.write(imported.remote(), 0, view.first(8), 1)).isTrue();

            buf.close();

            assertRefused(UrmaStatus.EINVAL, view::size);
            assertThat(queue.poll(batch)).isZero();
            assertThat(isAlive(memory)).isTrue();
            queue.modify(QueueState.READY);
            assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(isAlive(memory)).isFalse();
            assertThat(imported.home().word(0)).isEqualTo(0x1234);
        }
    }

    /** S14.9: however posts, closes and polls follow each other, each operation moves the bytes that it was posted with. */
    @Rule("S14.9")
    @Test
    void buffersThatAreClosedAtRandomLoseNoByte() {
        int slots = 8;
        int operations = Patience.amount(400, 40);
        SplittableRandom random = Seed.randomFor("buffersThatAreClosedAtRandomLoseNoByte");
        var imported = pair.imported((long) slots * SIZE);
        int[] last = new int[slots]; // the operation that wrote there, from 1 on
        int[] lengths = new int[slots];
        try (BufQueue queue = BufQueue.open(context())) {
            int polled = 0;
            List<RdmaBuf> open = new ArrayList<>();
            for (int i = 1; i <= operations; i++) {
                int slot = random.nextInt(slots);
                RdmaBuf buf = allocate();
                BufView view = buf.view().last(1 + random.nextInt(SIZE));
                new Payload(i).fill(view.segment(), 0, 0, view.size());
                assertThat(queue.write(imported.remote(), (long) slot * SIZE, view, i))
                        .isTrue();
                last[slot] = i;
                lengths[slot] = Math.toIntExact(view.size());
                open.add(buf);
                if (random.nextBoolean()) {
                    open.remove(random.nextInt(open.size())).close();
                }
                while (i - polled > 100 || (i > polled && random.nextInt(3) == 0)) {
                    assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
                    polled++;
                }
            }
            open.forEach(RdmaBuf::close);
            for (; polled < operations; polled++) {
                assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            }
        }
        for (int slot = 0; slot < slots; slot++) {
            assertThat(imported.home().firstDifference(new Payload(last[slot]), (long) slot * SIZE, 0, lengths[slot]))
                    .as("slot %s, operation %s", slot, last[slot])
                    .isEqualTo(-1);
        }
    }

    /** S14.9: a failure ends one hold for each result, whether it is polled or flushed. */
    @Rule({"S14.9", "S6.8"})
    @Test
    void eachResultEndsOneHold() {
        RemoteSegment revoked = pair.importedAndRevoked(SIZE);
        List<MemorySegment> memories = new ArrayList<>();
        var one = new CompletionBatch(1);
        try (BufQueue queue = BufQueue.open(context())) {
            suspend(queue);
            for (int i = 0; i < 5; i++) {
                RdmaBuf buf = allocate();
                memories.add(buf.view().segment());
                assertThat(queue.write(revoked, 0, buf.view().first(8), i)).isTrue();
                buf.close();
            }
            queue.modify(QueueState.READY);
            int results = 0;
            do {
                results += awaitRecord(queue, one).isMarker() ? 0 : 1;
                assertThat(memories.stream().filter(BuffersContract::isAlive)).hasSize(5 - results);
            } while (!one.isFlushErrDone(0));
            while (queue.flush(one) == 1) {
                results++;
                assertThat(memories.stream().filter(BuffersContract::isAlive)).hasSize(5 - results);
            }
            assertThat(results).isEqualTo(5);
        }
    }

    /** S14.9: a peer that does not answer in time does not release the buffer; the record of the timeout does. */
    @Rule("S14.9")
    @Test
    void silenceOfThePeerHoldsTheBufferUntilTheRecord() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only a process can be stopped");
        assumeTrue(!pair.device().attributes().capabilities().oneSided(), "the device needs no answer");
        var imported = pair.imported(SIZE);
        JfsConfig impatient =
                JfsConfig.builder().timeout(Duration.ofMillis(300)).build();
        RdmaBuf buf = allocate();
        MemorySegment memory = buf.view().segment();
        try (BufQueue queue = BufQueue.open(context(), impatient)) {
            processOfHome().stop();
            try {
                assertThat(queue.read(imported.remote(), 0, buf.view(), 1)).isTrue();
                buf.close();
                assertThat(isAlive(memory)).isTrue();
                assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.ACK_TIMEOUT_ERR);
                assertThat(isAlive(memory)).isFalse();
            } finally {
                processOfHome().proceed();
            }
        }
    }

    /** S14.9: a queue that closes discards its operations, and so ends their holds. */
    @Rule("S14.9")
    @Test
    void closeOfTheQueueEndsItsHolds() {
        var imported = pair.imported(SIZE);
        RdmaBuf buf = allocate();
        MemorySegment memory = buf.view().segment();
        try (BufQueue queue = BufQueue.open(context())) {
            suspend(queue);
            assertThat(queue.write(imported.remote(), 0, buf.view(), 1)).isTrue();
            buf.close();
            assertThat(isAlive(memory)).isTrue();
        }
        assertThat(isAlive(memory)).isFalse();
    }

    /** S14.9: a full queue accepts nothing, and holds nothing for it. */
    @Rule({"S14.9", "S9.2"})
    @Test
    void refusedPostHoldsNothing() {
        var imported = pair.imported(SIZE);
        RdmaBuf accepted = allocate();
        RdmaBuf refused = allocate();
        MemorySegment memory = refused.view().segment();
        try (BufQueue queue =
                BufQueue.open(context(), JfsConfig.builder().depth(2).build())) {
            int posted = 0;
            while (queue.write(imported.remote(), 0, accepted.view().first(8), posted)) {
                posted++;
            }
            assertThat(posted).isPositive();
            assertThat(queue.write(imported.remote(), 0, refused.view().first(8), 99))
                    .isFalse();
            assertRefused(
                    UrmaStatus.EINVAL, () -> queue.read(imported.remote(), 1, refused.view(), 99)); // 1 byte too long

            refused.close();

            assertThat(isAlive(memory)).isFalse();
            for (int i = 0; i < posted; i++) {
                assertThat(awaitRecord(queue)).isEqualTo(CompletionStatus.SUCCESS);
            }
        }
        accepted.close();
    }

    // ---- leaks

    /** S14.21: the report names the stack; the memory is released with it. */
    @Rule("S14.21")
    @Test
    void lostHandleIsReportedAndClosed() {
        List<LeakRecord> leaks = new CopyOnWriteArrayList<>();
        LeakDetector detector = LeakDetector.of(LeakLevel.ALL, leaks::add);
        MemorySegment memory = lose(detector);

        Patience.await("the report of the lost handle", () -> {
            System.gc();
            return detector.lost() == 1;
        });

        assertThat(isAlive(memory)).isFalse();
        assertThat(leaks).hasSize(1);
        assertThat(leaks.getFirst().lengthBytes()).isEqualTo(SIZE);
        assertThat(leaks.getFirst().acquired().orElseThrow().getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("lose"));
    }

    private MemorySegment lose(LeakDetector detector) {
        return RdmaBuf.allocate(context(), SIZE, detector).view().segment();
    }

    /** S14.21: an open handle is a leak at the end of a test; a closed one is none. */
    @Rule("S14.21")
    @Test
    void closedHandleIsNotReported() {
        LeakDetector detector = LeakDetector.of(LeakLevel.ALL);
        try (RdmaBuf buf = RdmaBuf.allocate(context(), SIZE, detector)) {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(detector::assertNoLeaks)
                    .withMessageContaining(buf.toString());
        }
        detector.assertNoLeaks();
        System.gc();
        assertThat(detector.lost()).isZero();
    }
}
