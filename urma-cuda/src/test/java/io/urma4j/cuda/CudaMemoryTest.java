package io.urma4j.cuda;

import static io.urma4j.cuda.CudaFixture.assertSame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaStatus;
import io.urma4j.cuda.FakeCudaDriver.Kind;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.PeerMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory of a GPU in the hands of a user, on the fake driver: copies, foreign pointers, and what is refused. */
@Timeout(60)
class CudaMemoryTest {
    @Test
    void bytesOfEachLengthAndAlignmentArrive() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(5 << 20)) {
            int[] lengths = {1, 2, 3, 7, 8, 63, 64, 65, 511, 4095, 4097, 65_537, (4 << 20) + 3};
            for (int length : lengths) {
                for (int offset = 0; offset < 9; offset += 4) {
                    MemorySegment pattern = cuda.pattern(length + 1, length).asSlice(offset & 1, length);
                    memory.fill(0, length + 16, (byte) 0x5a);
                    memory.copyFrom(offset + 1, pattern);

                    assertSame(cuda.read(memory, offset + 1, length), pattern);
                    MemorySegment edges = cuda.read(memory, offset, length + 2);
                    assertThat(edges.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 0x5a);
                    assertThat(edges.get(ValueLayout.JAVA_BYTE, length + 1)).isEqualTo((byte) 0x5a);
                }
            }
        }
    }

    @Test
    void theDeviceIsDescribed() {
        try (CudaFixture cuda = new CudaFixture(2)) {
            assertThat(cuda.memory.clients()).first().satisfies(client -> {
                assertThat(client.name()).isEqualTo("cuda");
                assertThat(client.style().invalidates()).isFalse();
                assertThat(client.devices()).hasSize(2);
                assertThat(client.devices().get(1).address()).isEqualTo("0000:02:00.0");
            });
            assertThat(cuda.driver.count("cuDevicePrimaryCtxRetain")).isZero();
        }
    }

    /** A virtual thread may change its OS thread between two calls; the fake records each call of one. */
    @Test
    void virtualThreadsNeverCallTheDriver() throws Exception {
        try (CudaFixture cuda = new CudaFixture(2);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                int number = i;
                all.add(threads.submit(() -> {
                    try (DeviceMemory memory = cuda.memory.allocate("cuda", number & 1, 4096)) {
                        for (int round = 0; round < 8; round++) {
                            MemorySegment pattern = cuda.pattern(4000, number * 100 + round);
                            memory.copyFrom(round, pattern);
                            Thread.yield();
                            assertSame(cuda.read(memory, round, 4000), pattern);
                        }
                        memory.flush();
                        memory.pin(true, List.of()).close();
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            assertThat(cuda.driver.violations()).isEmpty();
        }
    }

    /** The segment belongs to the thread of its arena, and the copy is made by another. */
    @Test
    void memoryOfAConfinedArenaIsCopied() {
        try (CudaFixture cuda = new CudaFixture();
                Arena confined = Arena.ofConfined();
                DeviceMemory memory = cuda.allocate(4096)) {
            MemorySegment source = confined.allocate(100).fill((byte) 7);
            MemorySegment target = confined.allocate(100);
            memory.copyFrom(11, source);
            memory.copyTo(11, target);
            assertSame(target, source);
        }
    }

    @Test
    void aPointerOfAnotherLibraryIsWrapped() {
        try (CudaFixture cuda = new CudaFixture(2)) {
            long address = cuda.driver.allocate(1, 8192, Kind.DEVICE);
            DeviceMemory memory = cuda.memory.wrap(PeerMemory.AUTO, DeviceRange.ANY, address + 100, 4000);
            assertThat(memory).hasToString("cuda:1 memory 0x" + Long.toHexString(address + 100) + " + 4000");
            MemorySegment pattern = cuda.pattern(4000, 9);
            memory.copyFrom(0, pattern);
            assertSame(cuda.read(memory, 0, 4000), pattern);
            memory.close();
            cuda.driver.freeForeign(address);
        }
    }

    /** P36: each kind with its own reason. */
    @ParameterizedTest
    @CsvSource({
        "MANAGED, managed memory",
        "HOST, pinned memory of the host",
        "ARRAY, no linear memory of a device (CUmemorytype 3)",
        "POOL, belongs to no context"
    })
    void otherKindsOfMemoryAreRefusedWithTheirReason(Kind kind, String reason) {
        try (CudaFixture cuda = new CudaFixture()) {
            long address = cuda.driver.allocate(0, 4096, kind);
            assertThatThrownBy(() -> cuda.memory.wrap("cuda", 0, address, 4096))
                    .hasMessageContaining("refuses memory")
                    .hasMessageContaining(reason);
            cuda.driver.freeForeign(address);
        }
    }

    /** P9, P37, and addresses of the host. */
    @Test
    void rangesOfNoAllocationAreRefused() {
        try (CudaFixture cuda = new CudaFixture(2)) {
            long first = cuda.driver.allocate(0, 4096, Kind.DEVICE);
            long second = cuda.driver.allocate(0, 4096, Kind.DEVICE);
            assertThat(second).isEqualTo(first + 4096);
            PeerMemory memory = cuda.memory;

            assertThatThrownBy(() -> memory.wrap("cuda", 0, first + 1, 4096))
                    .hasMessageContaining("it exceeds its allocation 0x" + Long.toHexString(first) + " + 4096");
            assertThatThrownBy(
                            () -> memory.wrap("cuda", 0, cuda.arena.allocate(8).address(), 8))
                    .hasMessageContaining("no client owns the whole range");
            assertThatThrownBy(() -> memory.wrap("cuda", 1, first, 8))
                    .hasMessageContaining("it lies on device 0, not on 1");
            assertThatThrownBy(() -> memory.wrap("cuda", 2, first, 8))
                    .hasMessageContaining("has no device 2; it has [0, 1]");
            int asked = cuda.driver.count("cuPointerGetAttributes");
            assertThatThrownBy(() -> memory.wrap("cuda", 0, first, 0)).hasMessageContaining("length is 0");
            assertThatThrownBy(() -> memory.wrap("cuda", 0, -4, 8)).hasMessageContaining("exceeds the address space");
            assertThat(cuda.driver.count("cuPointerGetAttributes")).isEqualTo(asked);
            cuda.driver.freeForeign(first);
            assertThatThrownBy(() -> memory.wrap("cuda", 0, first, 8)).hasMessageContaining("no client owns");
            cuda.driver.freeForeign(second);
        }
    }

    @Test
    void aDeviceWithoutMemoryRefuses() {
        try (CudaFixture cuda = new CudaFixture()) {
            DeviceMemory all = cuda.allocate(256 << 20);
            assertThatThrownBy(() -> cuda.allocate(1))
                    .hasMessageContaining("lacks memory for 2097152 bytes; 0 are free")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.ENOMEM);
            all.close();
            cuda.allocate(1).close();
            assertThatThrownBy(() -> cuda.allocate(Long.MAX_VALUE)).hasMessageContaining("must lie in 1…");
        }
    }

    @Test
    void memoryMayBeClosedAfterItsLibrary() {
        CudaFixture cuda = new CudaFixture();
        DeviceMemory memory = cuda.allocate(100);
        memory.fill(0, 100, (byte) 1);
        cuda.memory.close();
        assertThat(cuda.driver.leftovers()).isEmpty();

        assertThatThrownBy(() -> memory.fill(0, 100, (byte) 2)).hasMessageContaining("is closed");
        memory.close();
        cuda.close();
    }

    @Test
    void aFlushReachesTheDriverWhereTheDeviceNeedsOne() {
        for (boolean needed : new boolean[] {false, true}) {
            try (CudaFixture cuda = new CudaFixture()) {
                cuda.driver.needFlush(needed);
                try (DeviceMemory memory = cuda.allocate(100)) {
                    memory.flush();
                }
                assertThat(cuda.driver.count("cuFlushGPUDirectRDMAWrites")).isEqualTo(needed ? 1 : 0);
            }
        }
    }
}
