package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.internal.pipe.QueuedPipe;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pipe by work requests whose own memory is gone. What it moves is tested on real providers. */
class QueuedPipeTest {
    private static final int CAPACITY = 4096;

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
}
