package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.PeerMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bindings against a library in C that checks its arguments: the contract, and what else the calling convention could get
 * wrong. It is compiled here, and proves nothing of a GPU.
 */
class FfmCudaDriverTest extends CudaDriverContract {
    @TempDir(cleanup = CleanupMode.ALWAYS)
    static Path folder;

    private static final int COPIES = 2_000;

    private static Path library;
    private static CudaDriver driver;

    @BeforeAll
    static void compile() throws Exception {
        library = StubLibrary.compile(folder);
        driver = FfmCudaDriver.open(Optional.of(library.toString()));
    }

    @Override
    CudaDriver driver() {
        return driver;
    }

    @Test
    void textsAndNumbersArriveWhole() {
        assertThat(driver.device(0))
                .isEqualTo(new CudaDeviceInfo(
                        0, "stub GPU", "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff", "0002:3b:1f.0", 64L << 30));
        assertThat(driver.version()).isEqualTo(12_040);
        assertThat(driver.freeBytes()).isEqualTo(32L << 30);
        long address = driver.allocate(4096);
        assertThat(driver.pointerAttributes(address).orElseThrow().rdmaCapable())
                .isTrue();
        driver.free(address);
    }

    @Test
    void theIpcHandleIsPassedByValue() {
        byte[] handle = new byte[CudaDriver.IPC_HANDLE_BYTES];
        for (int i = 0; i < handle.length; i++) {
            handle[i] = (byte) i;
        }
        long sum = 63 * 64 * 127 / 6;
        assertThat(driver.openIpcHandle(handle, CudaDriver.IPC_LAZY_ENABLE_PEER_ACCESS))
                .isEqualTo(sum << 32);
        driver.closeIpcHandle(sum << 32);
        assertThatThrownBy(() -> driver.openIpcHandle(new byte[63], 1)).hasMessageContaining("63 bytes, must have 64");
    }

    @Test
    void aResultHasTheDriversWordsIfItHasAny() {
        assertThatThrownBy(() -> driver.allocate(1L << 46))
                .hasMessageContaining("cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory")
                .extracting("status")
                .isEqualTo(UrmaStatus.ENOMEM);
        assertThatThrownBy(() -> driver.unregisterHost(4096))
                .hasMessageContaining("cuMemHostUnregister failed: result without a name (713) (EINVAL)");
    }

    @Test
    void registeredHostMemoryIsKnownAsSuch() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slab = arena.allocate(8192, 4096);
            driver.registerHost(slab.address(), 8192, CudaDriver.HOST_PORTABLE | CudaDriver.HOST_DEVICEMAP);
            assertThat(driver.pointerAttributes(slab.address() + 5000))
                    .hasValueSatisfying(known -> assertThat(known.memoryType()).isEqualTo(PointerAttributes.HOST));
            driver.unregisterHost(slab.address());
        }
    }

    /** Through the service, as a program does. */
    @Test
    void theServiceBringsTheClientOfTheNamedLibrary() {
        UrmaOptions options = UrmaOptions.DEFAULT.withSetting(CudaLibrary.SETTING, library.toString());
        try (PeerMemory memory = PeerMemory.open(options);
                Arena arena = Arena.ofConfined();
                DeviceMemory device = memory.allocate("cuda", 0, 1 << 20)) {
            assertThat(memory.absentClients()).doesNotContainKey("cuda");
            MemorySegment source = arena.allocate(100_001).fill((byte) 0x6b);
            MemorySegment target = arena.allocate(100_001);
            device.copyFrom(77, source);
            device.copyTo(77, target);
            assertThat(target.mismatch(source)).isEqualTo(-1);
            device.pin(true, List.of()).close();
        }
    }

    /** On no thread: neither the one that starts it, nor those of the device. The first rounds compile. */
    @Test
    void aCopyAllocatesNothing() {
        CudaClient client = new CudaClient(driver);
        long address = client.allocate(0, 1 << 20);
        try (Arena arena = Arena.ofConfined();
                CopyStream stream = client.engine(0).openStream()) {
            MemorySegment host = arena.allocate(4096);
            Copy copy = new Copy();
            long[] threads = threads();
            long leastBytes = Long.MAX_VALUE;
            for (int round = 0; round < 30 && leastBytes >= COPIES; round++) {
                long before = allocatedBytes(threads);
                for (int i = 0; i < COPIES; i++) {
                    stream.copyIn(address, host, copy);
                    assertThatCopyEnds(copy);
                    stream.copyOut(address, host, copy);
                    assertThatCopyEnds(copy);
                }
                leastBytes = Math.min(leastBytes, allocatedBytes(threads) - before);
            }
            assertThat(leastBytes).as("bytes for " + 2 * COPIES + " copies").isLessThan(COPIES);
        }
        client.free(0, address);
        client.close();
    }

    private static void assertThatCopyEnds(Copy copy) {
        if (!copy.await(TimeUnit.SECONDS.toNanos(20)) || copy.failure() != null) {
            throw new AssertionError(copy);
        }
    }

    /** This thread, and those of all devices. */
    private static long[] threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("urma-cuda-") || thread.equals(Thread.currentThread()))
                .mapToLong(Thread::threadId)
                .toArray();
    }

    private static long allocatedBytes(long[] threads) {
        var bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long thread : threads) {
            sum += bean.getThreadAllocatedBytes(thread);
        }
        return sum;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "STUB    | it is the toolkit's stub for linkers, not a driver",
                "EMPTY   | it finds no device",
                "OLD     | it supports CUDA 10.2, and 11.4 or later is needed",
                "LACKING | it lacks cuIpcGetMemHandle, cuIpcOpenMemHandle_v2, cuIpcCloseMemHandle"
            },
            quoteCharacter = '"')
    void aLibraryOfNoUseIsRefusedWithItsReason(String macro, String reason, @TempDir Path other) throws Exception {
        Path useless = StubLibrary.compile(other, macro);
        assertThatThrownBy(() -> FfmCudaDriver.open(Optional.of(useless.toString())))
                .isInstanceOf(UrmaException.class)
                .hasMessage("CUDA driver: " + useless + " cannot be used: " + reason + " (EINVAL)");
    }

    @Test
    void thePlacesAreTriedInTheirOrder() {
        List<String> places = List.of("/nonexistent/libcuda.so.1", library.toString(), "/other/libcuda.so.1");
        assertThat(CudaLibrary.open(Optional.empty(), places)).hasToString(library.toString());
    }
}
