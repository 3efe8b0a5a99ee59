package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegistrationCache;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** S14.34: registrations of user memory that are kept for the next use. */
public abstract class RegistrationCacheContract extends Contract {
    private static final int SIZE = 4096;
    private static final int REGIONS = 4;

    protected RegistrationCacheContract(String device) {
        super(device);
    }

    private RegistrationCache cache() {
        return RegistrationCache.open(REGIONS, 1 << 20, pair.initiator().context());
    }

    private static void write(BufQueue queue, RemoteSegment remote, RdmaBuf from) {
        CompletionBatch one = new CompletionBatch(1);
        queue.write(remote, 0, from.view(), 1);
        Patience.await("a record in " + queue, () -> queue.poll(one) == 1);
        assertThat(one.status(0)).isEqualTo(CompletionStatus.SUCCESS);
    }

    private static void assertArrived(Pair.Imported imported, MemorySegment bytes) {
        assertThat(imported.home().get(0, (int) bytes.byteSize())).isEqualTo(bytes.toArray(JAVA_BYTE));
    }

    private static MemorySegment filled(MemorySegment memory, int value) {
        return memory.fill((byte) value);
    }

    @Rule("S14.34")
    @Test
    void partsOfRegisteredMemoryNeedNoRegistration() {
        var imported = pair.imported(SIZE);
        try (Arena arena = Arena.ofShared();
                RegistrationCache cache = cache();
                BufQueue queue = BufQueue.open(pair.initiator().context())) {
            MemorySegment memory = arena.allocate(8 * SIZE, 64);
            cache.acquire(memory).close();
            for (int i = 0; i < 8; i++) {
                MemorySegment part = filled(memory.asSlice((long) i * SIZE, SIZE), 20 + i);
                try (RdmaBuf buf = cache.acquire(part)) {
                    write(queue, imported.remote(), buf);
                }
                assertArrived(imported, part);
            }
            assertThat(cache.stats().misses()).isEqualTo(1);
            assertThat(cache.stats().hits()).isEqualTo(8);
        }
    }

    /** Freed memory often gets the same address again, and is other memory then. */
    @Rule("S14.34")
    @Test
    void aRegistrationNeverServesMemoryThatCameLater() {
        var imported = pair.imported(SIZE);
        try (RegistrationCache cache = cache();
                BufQueue queue = BufQueue.open(pair.initiator().context())) {
            for (int i = 0; i < 50; i++) {
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment memory = filled(arena.allocate(SIZE, 64), i);
                    try (RdmaBuf buf = cache.acquire(memory)) {
                        write(queue, imported.remote(), buf);
                    }
                    assertArrived(imported, memory);
                }
            }
            assertThat(cache.stats().misses()).isEqualTo(50);
            assertThat(cache.stats().regions()).isEqualTo(1);
        }
    }

    /** The registration of an operation that is in flight is not evicted, and its memory is read to the end. */
    @Rule("S14.34")
    @Test
    void whatOperationsHoldIsNotEvicted() {
        int large = 1 << 20;
        var imported = pair.imported(large);
        try (Arena arena = Arena.ofShared();
                RegistrationCache cache =
                        RegistrationCache.open(1, 8L << 20, pair.initiator().context());
                BufQueue queue = BufQueue.open(pair.initiator().context())) {
            MemorySegment first = filled(arena.allocate(large, 64), 5);
            MemorySegment second = arena.allocate(SIZE, 64);
            RdmaBuf buf = cache.acquire(first);
            queue.write(imported.remote(), 0, buf.view(), 1);
            buf.close();

            cache.acquire(second).close();
            assertRefused(UrmaStatus.EAGAIN, () -> cache.forget(first));

            CompletionBatch one = new CompletionBatch(1);
            Patience.await("a record in " + queue, () -> queue.poll(one) == 1);
            assertThat(one.status(0)).isEqualTo(CompletionStatus.SUCCESS);
            assertArrived(imported, first);
            cache.forget(first);
            assertThat(cache.stats().regions()).isZero();
        }
    }

    /** A cache of two contexts registers with both, and closes with neither. */
    @Rule("S14.34")
    @Test
    void memoryIsRegisteredWithEachContext() {
        var imported = pair.imported(SIZE);
        RegistrationCache closed;
        try (UrmaContext other = pair.device().openContext();
                Arena arena = Arena.ofShared();
                BufQueue queue = BufQueue.open(pair.initiator().context())) {
            MemorySegment memory = filled(arena.allocate(SIZE, 64), 77);
            try (RegistrationCache cache = RegistrationCache.open(
                            REGIONS, 1 << 20, pair.initiator().context(), other);
                    RdmaBuf buf = cache.acquire(memory)) {
                assertThat(buf.view().localSegment(other).context()).isSameAs(other);
                write(queue, imported.remote(), buf);
                closed = cache;
            }
            assertArrived(imported, memory);
            assertRefused(UrmaStatus.EINVAL, () -> closed.acquire(memory));
        }
    }
}
