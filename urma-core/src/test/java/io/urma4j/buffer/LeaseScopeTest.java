package io.urma4j.buffer;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** S14.8 in a checked pool. */
class LeaseScopeTest {
    private static final int BYTES = 64;

    private final AtomicInteger returned = new AtomicInteger();
    private final Block block = Block.partOf(
            new SlabMemory(
                    Arena.ofAuto().allocate(BYTES),
                    List.of(),
                    Access.LOCAL_ONLY,
                    arena -> arena.allocate(BYTES), // another memory for each lease: here only the scope matters
                    () -> false,
                    () -> {}),
            _ -> returned.incrementAndGet());

    private RdmaBuf lease() {
        return RdmaBuf.lease(block, 0, BYTES, LeakDetector.OFF);
    }

    @Test
    void segmentsEndWithTheLastHandle() {
        RdmaBuf first = lease();
        RdmaBuf second = first.retain();
        MemorySegment kept = first.view().segment();

        first.close();
        kept.set(JAVA_BYTE, 0, (byte) 1);
        second.close();

        assertThatThrownBy(() -> kept.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThat(returned).hasValue(1);
        try (RdmaBuf next = lease()) {
            assertThat(next.view().getByte(0)).isZero();
            assertThatThrownBy(() -> kept.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(returned).hasValue(2);
    }

    @Test
    void operationsKeepTheBlockAndNotTheSegments() {
        RdmaBuf buf = lease();
        MemorySegment kept = buf.view().segment();
        Block held = buf.view().hold();

        buf.close();

        assertThatThrownBy(() -> kept.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThat(returned).hasValue(0);
        held.unhold();
        assertThat(returned).hasValue(1);
    }

    @Test
    void revokedLeaseEndsItsSegments() {
        RdmaBuf buf = lease();
        MemorySegment kept = buf.view().segment();

        block.revoke();

        assertThatThrownBy(() -> kept.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThat(returned).hasValue(1);
        buf.close();
        assertThat(returned).hasValue(1);
    }

    /** The kernel may still write there: no next owner before. */
    @Test
    void systemCallInProgressDelaysTheReturn() throws Exception {
        Pipe pipe = Pipe.open();
        RdmaBuf buf = lease();
        ByteBuffer target = buf.view().asByteBuffer();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                pipe.source().read(target);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        await().until(() -> isInSystemCall(reader));

        buf.close();
        assertThat(returned).hasValue(0);

        pipe.sink().write(ByteBuffer.wrap(new byte[] {1}));
        await().untilAsserted(() -> assertThat(returned).hasValue(1));
        reader.join();
        pipe.sink().close();
        pipe.source().close();
    }

    private static boolean isInSystemCall(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getMethodName().equals("read0")) {
                return true;
            }
        }
        return false;
    }
}
