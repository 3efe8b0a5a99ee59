package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When host memory is pinned for an engine, and how long. */
class HostPinningTest {
    private static final long GRANULE = HostPinning.GRANULE_BYTES;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(2 * GRANULE + 5); // no byte of it is touched
    private final HostPinning pinning = new HostPinning(memory);
    private final Engine engine = new Engine(true);

    @AfterEach
    void free() {
        arena.close();
    }

    /** An engine that notes what is pinned. */
    private static final class Engine implements DmaEngine {
        final List<Long> pinnedBytes = new ArrayList<>();
        final boolean pins;
        int unpinned;

        Engine(boolean pins) {
            this.pins = pins;
        }

        @Override
        public Pinning pinHost(MemorySegment range) {
            pinnedBytes.add(range.byteSize());
            return new Pinning() {
                @Override
                public boolean isDirect() {
                    return pins;
                }

                @Override
                public void close() {
                    unpinned++;
                }
            };
        }

        @Override
        public CopyStream openStream() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void flush(DeviceRange range) {}

        @Override
        public int maxInFlight() {
            return 1;
        }

        @Override
        public long fragmentBytes() {
            return 1;
        }

        @Override
        public long alignmentBytes() {
            return 1;
        }
    }

    @Test
    void memoryIsPinnedByGranulesAtTheirFirstUse() {
        assertThat(engine.pinnedBytes).isEmpty();

        assertThat(pinning.isDirect(engine, 0, GRANULE)).isTrue();
        assertThat(pinning.isDirect(engine, 17, 1)).isTrue();
        assertThat(engine.pinnedBytes).containsExactly(GRANULE);

        assertThat(pinning.isDirect(engine, GRANULE - 1, 2)).isTrue();
        assertThat(engine.pinnedBytes).containsExactly(GRANULE, GRANULE);

        assertThat(pinning.isDirect(engine, 2 * GRANULE, 5)).isTrue();
        assertThat(engine.pinnedBytes).containsExactly(GRANULE, GRANULE, 5L);
        pinning.close();
    }

    @Test
    void eachEngineHasItsOwn() {
        Engine other = new Engine(true);
        assertThat(pinning.isDirect(engine, 0, 1)).isTrue();
        assertThat(pinning.isDirect(other, 0, 1)).isTrue();
        assertThat(other.pinnedBytes).hasSize(1);
        pinning.close();
        assertThat(engine.unpinned).isOne();
        assertThat(other.unpinned).isOne();
    }

    @Test
    void whatTheDriverRefusesIsAskedForOnce() {
        Engine refusing = new Engine(false);
        assertThat(pinning.isDirect(refusing, 0, 1)).isFalse();
        assertThat(pinning.isDirect(refusing, 0, 1)).isFalse();
        assertThat(refusing.pinnedBytes).hasSize(1);
        pinning.close();
    }

    /** A native call that still uses it keeps it open. */
    @Test
    void memoryThatIsNotFreedIsPinnedAnew() {
        assertThat(pinning.isDirect(engine, 0, 1)).isTrue();

        assertThatThrownBy(() -> pinning.close(() -> {
                    throw new UrmaException(UrmaStatus.EAGAIN, "memory", "of a test");
                }))
                .hasMessageContaining("of a test");
        assertThat(engine.unpinned).isOne();
        assertThat(pinning.isDirect(engine, 0, 1)).isTrue();
        assertThat(engine.pinnedBytes).hasSize(2);

        pinning.close(() -> {});
        assertThat(engine.unpinned).isEqualTo(2);
        assertThat(pinning.isDirect(engine, 0, 1)).isFalse();
    }

    @Test
    void afterItsEndNothingIsPinned() {
        assertThat(pinning.isDirect(engine, 0, 2 * GRANULE)).isTrue();

        pinning.close();
        pinning.close();

        assertThat(engine.unpinned).isEqualTo(2);
        assertThat(pinning.isDirect(engine, 0, 1)).isFalse();
        assertThat(engine.pinnedBytes).hasSize(2);
    }
}
