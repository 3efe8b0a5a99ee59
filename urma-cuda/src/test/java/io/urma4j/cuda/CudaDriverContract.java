package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client expects of each {@link CudaDriver}: the fake one, and the real one where there is a device. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SAME_THREAD) // the current context belongs to the thread
abstract class CudaDriverContract {
    private static final int MIB = 1 << 20;

    private final Arena arena = Arena.ofShared();
    private CudaDriver driver;
    private long context;

    /** The driver of all tests of the class; aborts with the reason where there is none. */
    abstract CudaDriver driver();

    @BeforeEach
    void enterContext() {
        driver = driver();
        context = driver.retainPrimaryContext(0);
        driver.setCurrentContext(context);
    }

    @AfterEach
    void leaveContext() {
        if (context != 0) {
            driver.setCurrentContext(0);
            driver.releasePrimaryContext(0);
        }
        arena.close();
    }

    private static void assertFails(int code, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(CudaException.class, e -> {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
            assertThat(e).hasMessageContaining(e.call() + " failed: " + e.name() + " (" + code + ")");
            assertThat(e.status()).isEqualTo(CudaCode.status(code));
        });
    }

    @Test
    void eachDeviceIsDescribed() {
        assertThat(driver.version()).isGreaterThanOrEqualTo(FfmCudaDriver.MINIMUM_VERSION);
        assertThat(driver.deviceCount()).isPositive();
        for (int ordinal = 0; ordinal < driver.deviceCount(); ordinal++) {
            CudaDeviceInfo device = driver.device(ordinal);
            assertThat(device.ordinal()).isEqualTo(ordinal);
            assertThat(device.name()).isNotBlank();
            assertThat(device.uuid()).matches("GPU-\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
            assertThat(device.pciAddress()).matches("\\p{XDigit}{4}:\\p{XDigit}{2}:\\p{XDigit}{2}\\.0");
            assertThat(device.lengthBytes()).isGreaterThan(MIB);
        }
        assertFails(CudaCode.INVALID_DEVICE, () -> driver.device(driver.deviceCount()));
        assertFails(CudaCode.INVALID_VALUE, () -> driver.attribute(0, 1_000_000));
    }

    @Test
    void theContextBelongsToTheThread() throws Exception {
        assertThat(driver.currentContext()).isEqualTo(context).isNotZero();
        Thread other = Thread.ofPlatform().start(() -> {
            assertThat(driver.currentContext()).isZero();
            driver.setCurrentContext(context);
            assertThat(driver.currentContext()).isEqualTo(context);
        });
        other.join();
        driver.setCurrentContext(0);
        assertThat(driver.currentContext()).isZero();
        assertFails(CudaCode.INVALID_CONTEXT, () -> driver.allocate(4096));
    }

    @Test
    void anAllocationIsKnownByItsAddresses() {
        long address = driver.allocate(3 * MIB);
        assertThat(driver.addressRange(address + MIB).base()).isEqualTo(address);
        assertThat(driver.addressRange(address + MIB).lengthBytes()).isGreaterThanOrEqualTo(3 * MIB);
        assertThat(driver.freeBytes()).isPositive();
        PointerAttributes known = driver.pointerAttributes(address + 2 * MIB).orElseThrow();
        assertThat(known.memoryType()).isEqualTo(PointerAttributes.DEVICE);
        assertThat(known.base()).isEqualTo(address);
        assertThat(known.lengthBytes()).isEqualTo(driver.addressRange(address).lengthBytes());
        assertThat(known.ordinal()).isZero();
        assertThat(known.managed()).isFalse();
        assertThat(known.context()).isEqualTo(context);
        driver.free(address);

        assertThat(driver.pointerAttributes(address)).isEmpty();
        assertThatThrownBy(() -> driver.addressRange(address)).isInstanceOf(CudaException.class);
        assertThat(driver.pointerAttributes(arena.allocate(64).address())).isEmpty();
        assertFails(CudaCode.OUT_OF_MEMORY, () -> driver.allocate(1L << 46));
    }

    /** Whether the address is reused or not. */
    @Test
    void eachAllocationHasABufferIdOfItsOwn() {
        long first = driver.allocate(2 * MIB);
        long firstId = driver.pointerAttributes(first).orElseThrow().bufferId();
        driver.free(first);
        long second = driver.allocate(2 * MIB);
        assertThat(driver.pointerAttributes(second).orElseThrow().bufferId()).isNotEqualTo(firstId);
        driver.setSyncMemops(second);
        driver.free(second);
    }

    @Test
    void copiesMoveEachByteAndNoOther() {
        long address = driver.allocate(5 * MIB);
        long stream = driver.createStream(CudaDriver.STREAM_NON_BLOCKING);
        long event = driver.createEvent(CudaDriver.EVENT_DISABLE_TIMING);
        assertThat(driver.isDone(event)).isTrue();
        Random random = new Random(7);
        for (int length : new int[] {1, 2, 3, 5, 17, 4095, 4097, 65_537, 4 * MIB + 3}) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            MemorySegment source = arena.allocate(length + 1).asSlice(length & 1, length);
            source.copyFrom(MemorySegment.ofArray(bytes));
            MemorySegment target = arena.allocate(length + 2);
            driver.fill(address, (byte) 0xa5, length + 16, stream);
            driver.copyIn(address + 5, source.address(), length, stream);
            driver.copyOut(target.address(), address + 4, length + 2, stream);
            driver.recordEvent(event, stream);
            await(event);

            assertThat(target.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 0xa5);
            assertThat(target.asSlice(1, length).mismatch(source)).isEqualTo(-1);
            assertThat(target.get(ValueLayout.JAVA_BYTE, length + 1)).isEqualTo((byte) 0xa5);
        }
        driver.destroyEvent(event);
        driver.destroyStream(stream);
        driver.free(address);
    }

    private void await(long event) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!driver.isDone(event)) {
            assertThat(System.nanoTime() - deadline)
                    .as("time left for the event, in -ns")
                    .isNegative();
            Thread.onSpinWait();
        }
    }

    @Test
    void bytesMoveWithinTheDeviceInTheOrderOfTheStream() {
        long from = driver.allocate(MIB);
        long to = driver.allocate(MIB);
        long stream = driver.createStream(CudaDriver.STREAM_NON_BLOCKING);
        MemorySegment target = arena.allocate(9);
        driver.fill(from, (byte) 3, MIB, stream);
        driver.fill(to, (byte) 4, MIB, stream);
        driver.copyWithin(to + 1, from, 7, stream);
        driver.copyOut(target.address(), to, 9, stream);
        driver.synchronizeStream(stream);

        assertThat(target.toArray(ValueLayout.JAVA_BYTE)).containsExactly(4, 3, 3, 3, 3, 3, 3, 3, 4);
        driver.destroyStream(stream);
        driver.free(from);
        driver.free(to);
    }

    @Test
    void anEventIsDoneOnceItsStreamIs() {
        long address = driver.allocate(MIB);
        long stream = driver.createStream(CudaDriver.STREAM_NON_BLOCKING);
        long event = driver.createEvent(CudaDriver.EVENT_DISABLE_TIMING);
        for (int i = 0; i < 10; i++) {
            driver.fill(address, (byte) i, MIB, stream);
            driver.recordEvent(event, stream);
            driver.synchronizeStream(stream);
            assertThat(driver.isDone(event)).isTrue();
        }
        driver.destroyEvent(event);
        driver.destroyStream(stream);
        driver.free(address);
    }

    @Test
    void aStreamIsDoneOnceNothingIsLeftInIt() {
        long address = driver.allocate(MIB);
        long stream = driver.createStream(CudaDriver.STREAM_NON_BLOCKING);
        assertThat(driver.isStreamDone(stream)).isTrue();
        MemorySegment target = arena.allocate(MIB);
        for (byte value = 1; value <= 10; value++) {
            driver.fill(address, value, MIB, stream);
            driver.copyOut(target.address(), address, MIB, stream);
            awaitStream(stream);
            assertThat(target.mismatch(arena.allocate(MIB).fill(value))).isEqualTo(-1);
        }
        driver.destroyStream(stream);
        driver.free(address);
    }

    private void awaitStream(long stream) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!driver.isStreamDone(stream)) {
            assertThat(System.nanoTime() - deadline)
                    .as("time left for the stream, in -ns")
                    .isNegative();
            Thread.onSpinWait();
        }
    }

    @Test
    void hostMemoryIsRegisteredOnce() {
        MemorySegment slab = arena.allocate(MIB, 65_536);
        int flags = CudaDriver.HOST_PORTABLE | CudaDriver.HOST_DEVICEMAP;
        driver.registerHost(slab.address(), MIB, flags);
        assertFails(CudaCode.HOST_MEMORY_ALREADY_REGISTERED, () -> driver.registerHost(slab.address(), MIB, flags));
        driver.unregisterHost(slab.address());
        assertFails(CudaCode.HOST_MEMORY_NOT_REGISTERED, () -> driver.unregisterHost(slab.address()));
    }

    /** Only another process can open the handle. */
    @Test
    void anIpcHandleNamesAnAllocation() {
        long first = driver.allocate(2 * MIB);
        long second = driver.allocate(2 * MIB);
        byte[] handle = driver.ipcHandle(first);
        assertThat(handle).hasSize(CudaDriver.IPC_HANDLE_BYTES).isNotEqualTo(driver.ipcHandle(second));
        assertThatThrownBy(() -> driver.openIpcHandle(handle, CudaDriver.IPC_LAZY_ENABLE_PEER_ACCESS))
                .isInstanceOfSatisfying(
                        CudaException.class, e -> assertThat(e.code()).isEqualTo(CudaCode.INVALID_CONTEXT));
        driver.free(second);
        driver.free(first);
    }

    @Test
    void aDmaBufIsOfWholePages() throws Throwable {
        long address = driver.allocate(2 * MIB);
        if (driver.attribute(0, CudaDriver.ATTRIBUTE_DMA_BUF_SUPPORTED) == 1) {
            int fd = driver.dmaBuf(address, 65_536);
            assertThat(fd).isGreaterThan(2);
            close(fd);
            assertFails(CudaCode.INVALID_VALUE, () -> driver.dmaBuf(address + 8, 65_536));
        } else {
            assertFails(CudaCode.NOT_SUPPORTED, () -> driver.dmaBuf(address, 65_536));
        }
        driver.free(address);
    }

    @SuppressWarnings("restricted") // Java has no close of a descriptor
    private static void close(int fd) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle close = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("close"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        assertThat((int) close.invokeExact(fd)).isZero();
    }

    @Test
    void writesOfNetworkCardsAreFlushed() {
        if ((driver.attribute(0, CudaDriver.ATTRIBUTE_FLUSH_WRITES_OPTIONS) & 1) != 0) {
            driver.flushWrites(CudaDriver.FLUSH_TO_OWNER);
        }
    }
}
