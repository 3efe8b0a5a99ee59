package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.ReceiveQueueConfig;
import io.urma4j.udma.ring.CqRing;
import io.urma4j.udma.ring.ReceiveWqe;
import io.urma4j.udma.ring.WqRing;
import org.junit.jupiter.api.Test;

/** S10.1: receive work requests are taken in the order of posting, also those that were given back. */
class ReceiveOrderTest {
    private static final int DEPTH = 16;
    private static final int STRIDE = ReceiveWqe.strideBytes(1);

    private final Host host = new Host(1, 1024);
    private final Registry registry = new Registry();
    private final NativeMemory ring = NativeMemory.allocate(WqRing.bytes(DEPTH, STRIDE));
    private final CompletionQueue cq = new CompletionQueue(
            1,
            NativeMemory.allocate(CqRing.bytes(DEPTH)),
            DEPTH,
            1,
            0,
            new Deadlines(),
            host,
            new CompletionQueue.Armed());
    private final ReceiveQueue queue = new ReceiveQueue(
            7,
            host,
            new KeyTable(connection -> connection, host, 8),
            CopyPort.NONE,
            ReceiveQueueConfig.builder(ring, DEPTH, STRIDE, 1).build(),
            cq);
    private final Receiver one = new Receiver(registry, queue);
    private final Receiver other = new Receiver(registry, queue);

    private void post(int count) {
        for (long cookie = 0; cookie < count; cookie++) {
            ReceiveWqe.put(ring, WqRing.at(cookie, DEPTH, STRIDE), 0, cookie);
        }
        WqRing.produced(ring, count);
    }

    private ReceiveInProgress take(Receiver receiver, long cookie) {
        ReceiveInProgress taken = queue.take(receiver);
        assertThat(taken).isNotNull();
        assertThat(taken.cookie).isEqualTo(cookie);
        return taken;
    }

    @Test
    void aClosedReceiverGivesThemBackInTheOrderOfPosting() {
        post(5);
        ReceiveInProgress first = take(one, 0);
        ReceiveInProgress second = take(one, 1);
        queue.end(first, 8);
        queue.end(second, 8); // so that its object is the next to be used
        take(one, 2);
        take(one, 3);

        queue.abandon(one);

        take(other, 2);
        take(other, 3);
        take(other, 4);
    }

    /** S10.5, S10.6: else more messages could arrive than the depth says, and the completion queue overflow. */
    @Test
    void whatAMessageHasTakenCountsUntilItsRecord() {
        post(2);
        ReceiveInProgress first = take(one, 0);
        ReceiveInProgress second = take(other, 1);
        assertThat(WqRing.consumed(ring)).isZero();

        queue.end(second, 8);
        assertThat(WqRing.consumed(ring)).isOne();
        queue.abandon(one);
        assertThat(WqRing.consumed(ring)).as("it was given back").isOne();
        assertThat(take(other, 0)).isSameAs(first);
        queue.end(first, 8);

        assertThat(WqRing.consumed(ring)).isEqualTo(2);
    }

    @Test
    void whatTwoReceiversGiveBackIsTakenInTheOrderOfPosting() {
        post(5);
        take(one, 0);
        take(other, 1);
        take(one, 2);

        queue.abandon(one);
        queue.abandon(other);

        assertThat(queue.waiting()).isEqualTo(5);
        for (long cookie = 0; cookie < 5; cookie++) {
            take(one, cookie);
        }
    }
}
