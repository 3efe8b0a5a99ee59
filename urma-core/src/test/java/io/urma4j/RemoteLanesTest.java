package io.urma4j;

import static io.urma4j.FakeHome.assertRefused;

import io.urma4j.internal.Lifetime;
import io.urma4j.internal.remote.RemoteLane;
import io.urma4j.internal.remote.RemoteLanes;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The queues of simple calls when several threads want one at once. */
class RemoteLanesTest {
    private static final int MOST = 8; // RemoteLanes.MAX_LANES

    private final FakeHome home = new FakeHome();
    private final RemoteSegment remote = home.imported(Access.READ_WRITE);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicBoolean mustLose = new AtomicBoolean();
    private final RemoteLanes lanes = new RemoteLanes("lanes", new Lifetime("lanes"), this::makeLane);

    @AfterEach
    void closeAll() {
        end.countDown();
        lanes.close();
        home.close();
    }

    /** While a thread makes the last lane, another thread puts its own at that place, and keeps it. */
    private RemoteLane makeLane() {
        if (mustLose.compareAndSet(true, false)) {
            occupy();
        }
        return new RemoteLane("lane", remote, remote.lengthBytes());
    }

    /** Another thread takes a lane, and keeps it until the end. */
    private void occupy() {
        CountDownLatch taken = new CountDownLatch(1);
        Thread.startVirtualThread(() -> lanes.perform(lane -> {
            taken.countDown();
            return await(end);
        }));
        await(taken);
    }

    private static long await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return 0;
    }

    /** S8.14. */
    @Test
    void theLoserOfARaceForALaneKeepsItsTimeout() {
        for (int i = 0; i < MOST - 1; i++) {
            occupy();
        }
        mustLose.set(true);

        assertRefused(
                        UrmaStatus.ETIMEOUT,
                        () -> lanes.perform(Duration.ofMillis(50).toNanos(), lane -> 0))
                .withMessageContaining("all its queues were busy");
    }
}
