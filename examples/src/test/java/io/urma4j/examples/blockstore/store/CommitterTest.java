package io.urma4j.examples.blockstore.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class CommitterTest {
    private static PendingWrite write() {
        return new PendingWrite(new SlotHeader(1, 1, 256, 0), ByteBuffer.allocate(256));
    }

    /** The state of the disk is unknown then, and no write may wait for ever. */
    @Test
    void anUnexpectedFailureFailsAllWritesAndNoThreadHangs() throws Exception {
        Committer committer = new Committer(
                new ConcurrentHashMap<>(),
                List.of(),
                _ -> {
                    throw new IllegalStateException("of a test");
                },
                1 << 20);
        Thread thread = Thread.ofPlatform().start(committer);
        PendingWrite first = write();
        committer.add(first);
        assertThat(first.done())
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(IOException.class)
                .withMessageContaining("of a test");
        PendingWrite second = write();
        committer.add(second);
        assertThat(second.done()).failsWithin(Duration.ofSeconds(20));
        committer.close();
        thread.join(Duration.ofSeconds(20));
        assertThat(thread.isAlive()).isFalse();
    }
}
