package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static io.urma4j.FakeHome.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.internal.pipe.QueuedPipe;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pipe by work requests whose own memory is gone. What it moves is tested on real providers. */
class QueuedPipeTest {
    private static final int CAPACITY = 4096;
    private static final long LIMIT_NANOS = 10_000_000_000L; // less than the queue's own timeout

    private final FakeHome home = new FakeHome();

    @AfterEach
    void closeTheHome() {
        home.close();
    }

    /** S4.2: not the IllegalStateException of the memory. */
    @Test
    void aPipeWhoseStagingMemoryIsGoneIsClosed() {
        RemoteSegment segment = home.imported(Access.READ_WRITE_ATOMIC);
        RemoteMemory words = RemoteMemory.of(segment);
        QueuedPipe pipe = new QueuedPipe("the pipe", segment, words, CAPACITY);
        MemorySegment message = MemorySegment.ofArray(new byte[8]);
        assertThat(pipe.put(0, message, 0, 8)).isTrue();

        home.fake.arenas.getLast().close();

        assertInvalid(() -> pipe.put(64, message, 0, 8)).withMessageContaining("the pipe: is closed");
        assertInvalid(() -> pipe.put(64, message, 0, 0)).withMessageContaining("the pipe: is closed");
        assertInvalid(() -> pipe.turn(64)).withMessageContaining("the pipe: is closed");
        pipe.close();
    }

    /** S4.1: a close does not wait for the queue's own timeout, which is three times as long. */
    @Test
    void theEndOfAPipeKeepsTheTimeoutOfTheClose() {
        RemoteSegment segment = home.imported(Access.READ_WRITE_ATOMIC);
        QueuedPipe pipe = new QueuedPipe("the pipe", segment, RemoteMemory.of(segment), CAPACITY);
        FakeQueues.hold(home.context, true);
        assertThat(pipe.put(0, MemorySegment.ofArray(new byte[8]), 0, 8)).isTrue();

        long begun = System.nanoTime();
        assertRefused(UrmaStatus.ETIMEOUT, () -> pipe.end(64, Duration.ofMillis(30)))
                .withMessageContaining("still has 1 unfinished");
        assertThat(System.nanoTime() - begun).isLessThan(LIMIT_NANOS);

        FakeQueues.hold(home.context, false);
        pipe.close();
    }

    /** S8.12: a send with a timeout does not wait longer for the reader's answer. */
    @Test
    void theReaderIsNotAwaitedLongerThanTheTimeout() {
        RemoteSegment segment = home.imported(Access.READ_WRITE_ATOMIC);
        RemoteMemory words = RemoteMemory.of(segment);
        QueuedPipe pipe = new QueuedPipe("the pipe", segment, words, CAPACITY);
        words.readLong(0); // makes the queue
        FakeQueues.hold(home.context, true);

        long begun = System.nanoTime();
        assertThat(pipe.taken(30_000_000)).isZero();
        assertThat(System.nanoTime() - begun).isLessThan(LIMIT_NANOS);

        FakeQueues.hold(home.context, false);
        pipe.close();
    }

    /** Otherwise it takes a CPU until the reader has everything. */
    @Test
    void anInterruptedThreadSleepsUntilThePipeHasEnded() {
        RemoteSegment segment = home.imported(Access.READ_WRITE_ATOMIC);
        QueuedPipe pipe = new QueuedPipe("the pipe", segment, RemoteMemory.of(segment), CAPACITY);
        FakeQueues.hold(home.context, true);
        assertThat(pipe.put(0, MemorySegment.ofArray(new byte[8]), 0, 8)).isTrue();
        InterruptedSleeper sleeper = InterruptedSleeper.start(() -> pipe.end(64, Duration.ofSeconds(30)));

        sleeper.awaitSleep();
        FakeQueues.hold(home.context, false);

        sleeper.assertEndsInterrupted();
        pipe.close();
    }
}
