package io.urma4j.shm.bounce;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.AllocOptions;
import io.urma4j.Urma;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.support.DirectCopies;
import io.urma4j.spi.support.HostPinning;
import io.urma4j.spi.support.StagedCopies;
import io.urma4j.spi.support.StagedRegion;
import io.urma4j.tck.Seed;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies without fragments, on a simulated NPU: many ranges, the ends of granules, and what goes wrong between them. */
class DirectCopiesTest {
    private static final int LENGTH = 1 << 20;
    private static final int BLOCK = 1000; // no multiple of a page

    private final StagedCopies copies = new StagedCopies();
    private Urma urma;
    private DeviceMemory from;
    private DeviceMemory to;
    private StagedRegion source;
    private StagedRegion target;

    private static final RegionUser NO_KEYS = new RegionUser() {
        @Override
        public void revoke(InvalidationReason reason) {}

        @Override
        public void invalidated(InvalidationReason reason) {}
    };

    @BeforeEach
    void open(@TempDir Path directory) {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory).withSetting("urma.npu", "1,rate=50M"));
        from = urma.peerMemory().allocate("npu", 0, LENGTH);
        to = urma.peerMemory().allocate("npu", 0, LENGTH);
        source = region(from);
        target = region(to);
        to.fill(0, LENGTH, (byte) 0);
    }

    private StagedRegion region(DeviceMemory memory) {
        PeerRegion region = memory.pin(true, List.of());
        region.activate(NO_KEYS);
        return copies.region(region);
    }

    @AfterEach
    void close() {
        copies.close();
        source.region().close();
        target.region().close();
        from.close();
        to.close();
        urma.close();
    }

    private static byte[] randomBytes(SplittableRandom random) {
        byte[] bytes = new byte[LENGTH];
        random.nextBytes(bytes);
        return bytes;
    }

    private static MemorySegment filled(byte[] bytes, ShmMemory room) {
        return room.segment().asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
    }

    private byte[] read(DeviceMemory memory) {
        ShmMemory room = ShmMemory.allocate(LENGTH, AllocOptions.DEFAULT, "test");
        try {
            memory.copyTo(0, room.segment());
            return room.segment().toArray(JAVA_BYTE);
        } finally {
            room.close();
        }
    }

    @Test
    void manyRangesMoveBetweenRegions() {
        SplittableRandom random = Seed.randomFor("ranges");
        byte[] bytes = randomBytes(random);
        byte[] expected = new byte[LENGTH];
        ShmMemory room = ShmMemory.allocate(LENGTH, AllocOptions.DEFAULT, "test");
        from.copyFrom(0, filled(bytes, room));
        try (DirectCopies direct = source.direct()) {
            for (int block = 0; block < LENGTH / BLOCK; block += 2) {
                int at = random.nextInt(LENGTH - BLOCK);
                direct.copy(source, at, target, (long) block * BLOCK, BLOCK);
                System.arraycopy(bytes, at, expected, block * BLOCK, BLOCK);
            }
            direct.await();
        }
        assertThat(read(to)).isEqualTo(expected);
        room.close();
    }

    /** A driver copies no range that lies in two pinned ones. */
    @Test
    void hostMemoryMovesAcrossItsGranules() {
        long granule = HostPinning.GRANULE_BYTES;
        ShmMemory host = ShmMemory.allocate(granule + LENGTH, AllocOptions.DEFAULT, "test");
        byte[] bytes = randomBytes(Seed.randomFor("granules"));
        MemorySegment across = host.segment().asSlice(granule - 7, LENGTH);
        across.copyFrom(MemorySegment.ofArray(bytes));
        try (DirectCopies direct = target.direct()) {
            assertThat(direct.copy(target, 0, host.pinning(), granule - 7, LENGTH, true))
                    .isTrue();
            direct.await();
            assertThat(read(to)).isEqualTo(bytes);

            across.fill((byte) 0);
            assertThat(direct.copy(target, 5, host.pinning(), granule - 2, LENGTH - 5, false))
                    .isTrue();
            direct.await();
            assertThat(across.asSlice(5).mismatch(MemorySegment.ofArray(bytes).asSlice(5)))
                    .isEqualTo(-1);
            assertThat(across.asSlice(0, 5).mismatch(MemorySegment.ofArray(new byte[5])))
                    .isEqualTo(-1);
        }
        host.close();
    }

    @Test
    void freedHostMemoryIsNotUsed() {
        ShmMemory host = ShmMemory.allocate(LENGTH, AllocOptions.DEFAULT, "test");
        host.close();
        try (DirectCopies direct = target.direct()) {
            assertThat(direct.copy(target, 0, host.pinning(), 0, LENGTH, true)).isFalse();
        }
    }

    /** The next request takes the same stream, and starts nothing of the failed one. */
    @Test
    void aFailureLeavesNothingToStart() {
        to.fill(0, LENGTH, (byte) 1);
        from.fill(0, LENGTH, (byte) 2);
        try (DirectCopies direct = source.direct()) {
            direct.copy(source, 0, target, 0, BLOCK);
            assertThatThrownBy(() -> direct.copy(source, LENGTH - 1, target, 0, 2))
                    .isInstanceOf(UrmaException.class)
                    .hasMessageContaining("lies outside its " + LENGTH + " bytes");
        }
        try (DirectCopies direct = source.direct()) {
            direct.copy(source, 0, target, BLOCK, BLOCK);
            direct.await();
        }
        byte[] bytes = read(to);
        assertThat(bytes[BLOCK - 1]).isEqualTo((byte) 1);
        assertThat(bytes[BLOCK]).isEqualTo((byte) 2);
        assertThat(bytes[2 * BLOCK]).isEqualTo((byte) 1);
    }

    /** Some of its copies are aborted, unless this thread does not run for 20 ms, and their failure is not that of a later request. */
    @Test
    void aRequestThatIsGivenUpFailsNoLaterOne() {
        int count = 200; // several batches
        int length = 5000; // so all take 20 ms
        from.fill(0, LENGTH, (byte) 3);
        for (int round = 0; round < 10; round++) {
            try (DirectCopies direct = source.direct()) {
                for (int block = 0; block < count; block++) {
                    long at = (long) block * length;
                    direct.copy(source, at, target, at, length);
                }
            }
            to.fill(0, LENGTH, (byte) 0);
            for (int request = 0; request < 6; request++) {
                try (DirectCopies direct = source.direct()) {
                    direct.copy(source, 0, target, (long) request * BLOCK, BLOCK);
                    direct.await();
                }
            }
            byte[] bytes = read(to);
            for (int request = 0; request < 6; request++) {
                assertThat(bytes[request * BLOCK]).isEqualTo((byte) 3);
            }
            assertThat(bytes[6 * BLOCK]).as("what was given up").isZero();
        }
    }

    @Test
    void memoryThatIsGoneFailsTheRequest() {
        target.region().close();
        try (DirectCopies direct = source.direct()) {
            direct.copy(source, 0, target, 0, BLOCK);
            assertThatThrownBy(direct::await).isInstanceOf(UrmaException.class);
        }
    }
}
