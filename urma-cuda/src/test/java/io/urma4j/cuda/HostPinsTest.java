package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DmaEngine.Pinning;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Host memory that the driver pins, on the fake driver. */
@Timeout(60)
class HostPinsTest {
    @Test
    void aSlabIsPinnedOnceForAllDevices() {
        try (CudaFixture cuda = new CudaFixture(2)) {
            MemorySegment slab = cuda.arena.allocate(1 << 20, 4096);
            Pinning first = cuda.client.engine(0).pinHost(slab);
            Pinning second = cuda.client.engine(1).pinHost(slab);
            assertThat(cuda.driver.count("cuMemHostRegister_v2")).isOne();
            assertThat(second.isDirect()).isTrue();

            first.close();
            first.close();
            assertThat(cuda.driver.count("cuMemHostUnregister")).isZero();
            second.close();
            assertThat(cuda.driver.count("cuMemHostUnregister")).isOne();
        }
    }

    /** 712: another library has pinned it, and will end that. */
    @Test
    void aSlabThatAnotherLibraryPinnedStaysPinned() throws Exception {
        try (CudaFixture cuda = new CudaFixture()) {
            MemorySegment slab = cuda.arena.allocate(1 << 20, 4096);
            onOwnThread(cuda, () -> cuda.driver.registerHost(slab.address(), slab.byteSize(), 1));

            Pinning pinning = cuda.client.engine(0).pinHost(slab);
            assertThat(pinning.isDirect()).isFalse();
            try (DeviceMemory memory = cuda.allocate(4096)) {
                memory.copyFrom(0, slab.asSlice(0, 4096));
            }
            pinning.close();

            assertThat(cuda.driver.count("cuMemHostUnregister")).isZero();
            onOwnThread(cuda, () -> cuda.driver.unregisterHost(slab.address()));
        }
    }

    private static void onOwnThread(CudaFixture cuda, Runnable call) throws InterruptedException {
        Thread thread = Thread.ofPlatform().start(() -> {
            cuda.driver.setCurrentContext(cuda.driver.retainPrimaryContext(0));
            call.run();
            cuda.driver.releasePrimaryContext(0);
        });
        thread.join();
    }

    @Test
    void aDriverThatPinsNothingMakesCopiesSlowerAndNoMore() {
        try (CudaFixture cuda = new CudaFixture()) {
            MemorySegment slab = cuda.arena.allocate(1 << 20, 4096);
            cuda.driver.fail("cuMemHostRegister_v2", CudaCode.NOT_SUPPORTED);
            Pinning pinning = cuda.client.engine(0).pinHost(slab);
            assertThat(pinning.isDirect()).isFalse();
            try (DeviceMemory memory = cuda.allocate(4096)) {
                memory.copyFrom(0, slab.asSlice(0, 4096));
            }
            pinning.close();
            assertThat(cuda.driver.count("cuMemHostUnregister")).isZero();
        }
    }

    @Test
    void whatIsLeftIsUnpinnedWithTheClient() {
        CudaFixture cuda = new CudaFixture();
        Pinning left = cuda.client.engine(0).pinHost(cuda.arena.allocate(4096, 4096));
        cuda.memory.close();
        assertThat(cuda.driver.count("cuMemHostUnregister")).isOne();
        left.close();
        assertThat(cuda.driver.count("cuMemHostUnregister")).isOne();
        cuda.close();
    }

    /** A driver pins some GB in a second. */
    @Test
    void aSlowDriverDelaysNoOtherRange() throws Exception {
        try (CudaFixture cuda = new CudaFixture(2)) {
            Pinning other = cuda.client.engine(1).pinHost(cuda.arena.allocate(4096, 4096));
            MemorySegment large = cuda.arena.allocate(1 << 20, 4096);
            cuda.driver.block("cuMemHostRegister_v2", new CountDownLatch(1));
            var pinned =
                    CompletableFuture.supplyAsync(() -> cuda.client.engine(0).pinHost(large));
            while (cuda.driver.count("cuMemHostRegister_v2") < 2) {
                Thread.onSpinWait();
            }

            CompletableFuture.runAsync(other::close).get(10, TimeUnit.SECONDS);

            assertThat(pinned).isNotDone();
            cuda.driver.letGo();
            pinned.get(10, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void aRangeOfManyUsersIsPinnedAndUnpinnedInTurn() throws Exception {
        try (CudaFixture cuda = new CudaFixture()) {
            MemorySegment slab = cuda.arena.allocate(4096, 4096);
            CompletableFuture<?>[] users = new CompletableFuture<?>[4];
            for (int i = 0; i < users.length; i++) {
                users[i] = CompletableFuture.runAsync(() -> {
                    for (int round = 0; round < 500; round++) {
                        Pinning pinning = cuda.client.engine(0).pinHost(slab);
                        assertThat(pinning.isDirect()).isTrue();
                        pinning.close();
                    }
                });
            }
            CompletableFuture.allOf(users).get(30, TimeUnit.SECONDS);

            assertThat(cuda.driver.count("cuMemHostUnregister")).isEqualTo(cuda.driver.count("cuMemHostRegister_v2"));
        }
    }

    /** The device may still write to the pages, whichever device has pinned them. */
    @Test
    void memoryOfACopyThatHangsStaysPinned() {
        try (CudaFixture cuda = new CudaFixture(2)) {
            DeviceMemory memory = cuda.allocate(4096);
            MemorySegment slab = cuda.arena.allocate(4096, 4096);
            Pinning byTheOther = cuda.client.engine(1).pinHost(slab);
            Pinning byTheHungOne = cuda.client.engine(0).pinHost(cuda.arena.allocate(4096, 4096));
            CopyStream stream = cuda.client.engine(0).openStream();
            cuda.driver.hold(true);
            stream.copyOut(memory.address(), slab, new Copy());

            cuda.client.close();
            stream.close();
            byTheOther.close();
            byTheHungOne.close();

            try {
                assertThat(cuda.driver.count("cuMemHostUnregister")).isZero();
                assertThat(cuda.driver.count("cuDevicePrimaryCtxRelease_v2"))
                        .as("contexts that were released, with what is pinned by them")
                        .isZero();
            } finally {
                cuda.abandon(); // or the copy goes on in memory that is freed
            }
        }
    }

    @Test
    void onlyNativeMemoryIsPinned() {
        try (CudaFixture cuda = new CudaFixture()) {
            assertThatThrownBy(() -> cuda.client.engine(0).pinHost(MemorySegment.ofArray(new byte[8])))
                    .hasMessageContaining("only native memory can be pinned");
            assertThatThrownBy(() -> cuda.client.engine(0).pinHost(cuda.arena.allocate(0)))
                    .hasMessageContaining("at least a byte");
        }
    }
}
