package io.urma4j.buffer;

import static io.urma4j.buffer.BufViewTest.assertInvalid;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionBatch;
import io.urma4j.FakeQueues;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** SEMANTICS §14: buffers on a device that moves no bytes. */
class RdmaBufTest {
    private static final String DEVICE = "fake0";

    private final Urma urma = Urma.open();
    private final UrmaContext context = urma.device(DEVICE).openContext();
    private final CompletionBatch batch = new CompletionBatch(16);

    @AfterEach
    void close() {
        urma.close();
    }

    private RemoteSegment remote() {
        var segment = context.register(context.allocate(4096), io.urma4j.Access.READ_WRITE);
        return context.importSegment(SharedSegment.parse(segment.share()));
    }

    /** V4. */
    @Test
    void allocatedBufferHasTheSizeThatWasAskedFor() {
        for (long size : new long[] {8, 100, 4096, 8 << 20}) {
            try (RdmaBuf buf = RdmaBuf.allocate(context, size)) {
                assertThat(buf.lengthBytes()).isEqualTo(size);
                assertThat(buf.view().size()).isEqualTo(size);
                assertThat(buf.view().capacity()).isEqualTo(size);
                assertThat(buf.view().localSegment(context).lengthBytes()).isEqualTo(size);
            }
        }
    }

    @Test
    void impossibleSizesAreRefused() {
        for (long size : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertInvalid(() -> RdmaBuf.allocate(context, size)).withMessageContaining("lengthBytes is " + size);
        }
        context.closeIfUnused();
    }

    @Test
    void closedBufferLeavesNothingInItsContext() {
        RdmaBuf.allocate(context, 4096).close();
        context.closeIfUnused();
    }

    /** S14.8: one of a queue holds it, and one was posted by hand. */
    @Test
    void bufferOfTwoKindsOfRequestsGoesWithTheLast() {
        RemoteSegment remote = remote();
        try (BufQueue queue = BufQueue.open(context)) {
            RdmaBuf buf = RdmaBuf.allocate(context, 4096);
            MemorySegment memory = buf.view().segment();
            LocalSegment segment = buf.view().localSegment(context);
            FakeQueues.hold(context, true);
            assertThat(queue.write(remote, 0, buf.view().first(8), 1)).isTrue();
            FakeQueues.unfinished(context, segment, 1);

            buf.close();
            FakeQueues.hold(context, false);
            assertThat(queue.poll(batch)).isOne();

            assertThat(memory.scope().isAlive())
                    .as("its request by hand is unfinished")
                    .isTrue();
            FakeQueues.unfinished(context, segment, 0);
            Awaitility.await().until(() -> !memory.scope().isAlive());
            assertThat(segment.revocation()).isPresent();
        }
    }

    @Test
    void segmentThatOutlivesItsBufferIsDead() {
        RdmaBuf buf = RdmaBuf.allocate(context, 4096);
        MemorySegment leaked = buf.view().segment();
        assertThat(leaked.get(JAVA_BYTE, 0)).isZero();
        buf.close();
        assertThat(leaked.scope().isAlive()).isFalse();
    }

    @Test
    void closedContextClosesItsBuffers() {
        RdmaBuf buf = RdmaBuf.allocate(context, 4096);
        BufView view = buf.view();
        context.close();
        assertInvalid(() -> view.getLong(0)).withMessageContaining("is closed");
        buf.close();
    }

    /** V26. */
    @Test
    void wrappedMemoryIsNeverFreed() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64, 8);
            RdmaBuf buf = RdmaBuf.wrap(memory, context);
            buf.view().putLong(0, 7);
            LocalSegment registered = buf.view().localSegment(context);
            assertThat(buf.view().capacity()).isEqualTo(64);
            buf.close();
            assertThat(memory.scope().isAlive()).isTrue();
            assertThat(memory.get(java.lang.foreign.ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
            assertThat(registered.revocation()).isPresent();
        }
        context.closeIfUnused();
    }

    @Test
    void wrappedMemoryServesSeveralContexts() {
        UrmaContext other = urma.device(DEVICE).openContext();
        UrmaContext third = urma.device(DEVICE).openContext();
        try (Arena arena = Arena.ofShared();
                RdmaBuf buf = RdmaBuf.wrap(arena.allocate(64), context, other)) {
            assertThat(buf.view().localSegment(context).context()).isSameAs(context);
            assertThat(buf.view().localSegment(other).context()).isSameAs(other);
            assertInvalid(() -> buf.view().localSegment(third)).withMessageContaining("is not registered with");
        }
    }

    @Test
    void refusalOfOneContextUndoesTheOthers() {
        UrmaContext closed = urma.device(DEVICE).openContext();
        closed.close();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);
            assertInvalid(() -> RdmaBuf.wrap(memory, context, closed)).withMessageContaining(closed.toString());
        }
        context.closeIfUnused();
    }

    @Test
    void unusableMemoryIsNotWrapped() {
        assertInvalid(() -> RdmaBuf.wrap(MemorySegment.ofArray(new byte[8]))).withMessageContaining("on the Java heap");
        Arena arena = Arena.ofShared();
        assertInvalid(() -> RdmaBuf.wrap(arena.allocate(0))).withMessageContaining("is empty");
        assertInvalid(() -> RdmaBuf.wrap(arena.allocate(8).asReadOnly())).withMessageContaining("is read-only");
        MemorySegment memory = arena.allocate(8);
        arena.close();
        assertInvalid(() -> RdmaBuf.wrap(memory)).withMessageContaining("the arena of the memory is closed");
    }

    /** S14.9. */
    @Test
    void operationHoldsItsBufferUntilItsRecordIsPolled() {
        try (BufQueue queue = BufQueue.open(context)) {
            RdmaBuf buf = RdmaBuf.allocate(context, 4096);
            MemorySegment memory = buf.view().segment();
            assertThat(queue.write(remote(), 0, buf.view().first(8), 5)).isTrue();
            assertThat(queue.read(remote(), 0, buf.view().last(8), 6)).isTrue();
            buf.close();
            CompletionBatch one = new CompletionBatch(1);
            assertThat(queue.poll(one)).isEqualTo(1);
            assertThat(one.userContext(0)).isEqualTo(5);
            assertThat(memory.scope().isAlive()).isTrue();
            assertThat(queue.poll(one)).isEqualTo(1);
            assertThat(one.userContext(0)).isEqualTo(6);
            assertThat(memory.scope().isAlive()).isFalse();
        }
    }

    /** S14.9. */
    @Test
    void closeOfTheQueueEndsItsHolds() {
        RdmaBuf buf = RdmaBuf.allocate(context, 4096);
        MemorySegment memory = buf.view().segment();
        try (BufQueue queue = BufQueue.open(context)) {
            queue.write(remote(), 0, buf.view(), 5);
            buf.close();
            assertThat(memory.scope().isAlive()).isTrue();
        }
        assertThat(memory.scope().isAlive()).isFalse();
    }

    /** S14.9. */
    @Test
    void operationThatNeverStartedHoldsItsBufferUntilItIsFlushed() {
        try (BufQueue queue = BufQueue.open(context)) {
            queue.modify(QueueState.ERROR);
            RdmaBuf buf = RdmaBuf.allocate(context, 4096);
            MemorySegment memory = buf.view().segment();
            assertThat(queue.write(remote(), 0, buf.view(), 5)).isTrue();
            assertThat(queue.poll(batch)).isZero();
            buf.close();
            assertThat(memory.scope().isAlive()).isTrue();
            assertThat(queue.flush(batch)).isEqualTo(1);
            assertThat(memory.scope().isAlive()).isFalse();
        }
    }

    /** S14.9. */
    @Test
    void refusedOperationHoldsNothing() {
        try (BufQueue queue = BufQueue.open(context)) {
            RdmaBuf buf = RdmaBuf.allocate(context, 8192);
            MemorySegment memory = buf.view().segment();
            RemoteSegment remote = remote();
            assertInvalid(() -> queue.write(remote, 0, buf.view(), 5)).withMessageContaining("lies outside its 4096");
            assertInvalid(() -> queue.read(remote, 4000, buf.view().first(97), 5));
            buf.close();
            assertThat(memory.scope().isAlive()).isFalse();
        }
    }

    /** S14.2, S14.8. */
    @Test
    void viewThatIsNotUsableIsNotPosted() {
        RemoteSegment remote = remote();
        try (Arena arena = Arena.ofShared();
                BufQueue queue = BufQueue.open(context)) {
            BufView unregistered = RdmaBuf.wrap(arena.allocate(8)).view();
            RdmaBuf buf = RdmaBuf.allocate(context, 8);
            BufView stale = buf.view();
            buf.close();
            assertInvalid(() -> queue.write(remote, 0, BufView.INVALID, 1)).withMessageContaining("invalid view");
            assertInvalid(() -> queue.read(remote, 0, stale, 1)).withMessageContaining("is closed");
            assertInvalid(() -> queue.write(remote, 0, unregistered, 1))
                    .withMessageContaining("is not registered with");
            assertThat(queue.poll(batch)).isZero();
        }
    }

    @Test
    void queueWithoutOrderOfRecordsIsRefused() {
        JfsConfig config = JfsConfig.builder().outOfOrderCompletion(true).build();
        assertInvalid(() -> BufQueue.open(context, config)).withMessageContaining("outOfOrderCompletion");
        assertInvalid(() -> BufQueue.open(context, JfsConfig.builder().depth(0).build()))
                .withMessageContaining("depth of the JFS is 0");
        context.closeIfUnused();
    }
}
