package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.shm.control.PathMemory;
import io.urma4j.shm.control.TestPeers;
import io.urma4j.shm.ring.RingLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessagePathTest {
    private final List<String> broken = new ArrayList<>();

    private MessagePath pathOver(MemorySegment inbound) {
        MemorySegment outbound = Arena.ofAuto().allocate(RingLayout.BYTES, 64);
        PathMemory memory = new PathMemory(1, inbound, outbound, () -> {}, () -> {});
        return new MessagePath(
                TestPeers.one(),
                memory,
                new Receivers(),
                _ -> {
                    throw new AssertionError("no message invalidates anything");
                },
                _ -> {},
                (_, why) -> broken.add(why));
    }

    /** A thread that polls handles the paths of all peers. */
    @Test
    void unexpectedFailureEndsItsPathAndNotThePollingThread() {
        MessagePath path = pathOver(Arena.ofAuto().allocate(1024, 64)); // its slots lie outside

        assertThat(path.turn(false)).isZero();
        assertThat(path.turn(true)).isZero();

        assertThat(broken).singleElement().asString().contains("IndexOutOfBounds");
        assertThat(path.out().isDead()).isTrue();
        assertThat(path.hasWork()).isFalse();
    }
}
