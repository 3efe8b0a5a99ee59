package io.urma4j.cuda;

import static io.urma4j.cuda.CudaFixture.active;
import static io.urma4j.cuda.CudaFixture.assertSame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.cuda.CudaFixture.Active;
import io.urma4j.cuda.FakeCudaDriver.Kind;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaDevice;
import io.urma4j.peer.Ownership;
import io.urma4j.peer.PeerAcquisition;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.PinnedPages;
import io.urma4j.peer.Ticket;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Registrations on the fake driver: what they set, what they refuse, and what the loss of a device does to them. */
@Timeout(60)
class CudaRegistrationTest {
    private static final long SOON = TimeUnit.SECONDS.toNanos(20);

    /** P34. */
    @Test
    void anAllocationIsMadeSafeForPeersOnce() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4 << 20);
                DeviceMemory other = cuda.allocate(4096)) {
            assertThat(cuda.driver.syncMemops()).isEmpty();
            PeerRegion first = memory.pin(true, List.of());
            long bufferId = memory.identity().bufferId();
            assertThat(cuda.driver.syncMemops()).isEqualTo(Map.of(bufferId, 1));
            PeerRegion second = memory.pin(false, List.of());
            first.close();
            second.close();
            memory.pin(true, List.of()).close();
            assertThat(cuda.driver.syncMemops()).isEqualTo(Map.of(bufferId, 1));

            other.pin(true, List.of()).close();
            assertThat(cuda.driver.syncMemops())
                    .isEqualTo(Map.of(bufferId, 1, other.identity().bufferId(), 1));
        }
    }

    /** P34: a failure is reported, and the next registration tries anew. */
    @Test
    void memoryThatCannotBeMadeSafeIsNotRegistered() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096)) {
            cuda.driver.fail("cuPointerSetAttribute", CudaCode.NOT_PERMITTED);
            assertThatThrownBy(() -> memory.pin(true, List.of()))
                    .hasMessageContaining("cuPointerSetAttribute failed")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.ENOPERM);
            assertThat(cuda.client.pinned(0)).isZero();
            cuda.driver.fail("cuPointerSetAttribute", 0);

            memory.pin(true, List.of()).close();
            assertThat(cuda.driver.syncMemops()).containsValue(1);
        }
    }

    @Test
    void pagesOf64KibCoverTheRange() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4 << 20)) {
            DeviceRange range = new DeviceRange(0, memory.address() + 65_000, 2_000);
            PeerAcquisition mine = mine(cuda, range);
            PinnedPages pages = mine.getPages(true, new Ticket(1), (_, _) -> {});
            assertThat(pages.pageBytes()).isEqualTo(64 << 10);
            assertThat(pages.range()).isEqualTo(new DeviceRange(0, memory.address(), 128 << 10));
            assertThat(pages.count()).isEqualTo(2);
            mine.putPages(pages);
            mine.release();
        }
    }

    private static PeerAcquisition mine(CudaFixture cuda, DeviceRange range) {
        assertThat(cuda.client.acquire(range)).isInstanceOf(Ownership.Mine.class);
        return ((Ownership.Mine) cuda.client.acquire(range)).acquisition();
    }

    /** P29. */
    @Test
    void memoryAtAReusedAddressIsOtherMemory() {
        try (CudaFixture cuda = new CudaFixture()) {
            long address = cuda.driver.allocate(0, 4096, Kind.DEVICE);
            DeviceMemory before = cuda.memory.wrap("cuda", 0, address, 4096);
            cuda.driver.freeForeign(address);
            assertThat(cuda.driver.allocate(0, 4096, Kind.DEVICE)).isEqualTo(address);

            DeviceMemory after = cuda.memory.wrap("cuda", 0, address, 4096);
            assertThat(after.identity()).isNotEqualTo(before.identity());
            assertThatThrownBy(() -> before.pin(true, List.of()))
                    .hasMessageContaining("its address belongs to another allocation now");
            after.pin(true, List.of()).close();
            cuda.driver.freeForeign(address);
        }
    }

    /** P29: between the two calls of a registration. */
    @Test
    void memoryThatIsReplacedWhileItIsRegisteredIsRefused() {
        try (CudaFixture cuda = new CudaFixture()) {
            long address = cuda.driver.allocate(0, 4096, Kind.DEVICE);
            PeerAcquisition mine = mine(cuda, new DeviceRange(0, address, 4096));
            cuda.driver.freeForeign(address);
            assertThat(cuda.driver.allocate(0, 4096, Kind.DEVICE)).isEqualTo(address);

            assertThatThrownBy(() -> mine.getPages(true, new Ticket(1), (_, _) -> {}))
                    .hasMessageContaining("was freed while it was registered");
            assertThat(cuda.driver.syncMemops()).isEmpty();
            assertThat(cuda.client.pinned(0)).isZero();
            mine.release();
            cuda.driver.freeForeign(address);
        }
    }

    /** P31. */
    @Test
    void registeredMemoryIsNotFreed() {
        try (CudaFixture cuda = new CudaFixture()) {
            DeviceMemory memory = cuda.allocate(4096);
            Active active = active(memory);

            assertThatThrownBy(memory::close)
                    .hasMessageContaining("1 registrations hold it")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.EAGAIN);
            assertThatThrownBy(() -> cuda.client.free(0, memory.address()))
                    .hasMessageContaining("cannot be freed, 1 registrations hold it")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.EAGAIN);
            assertThat(cuda.driver.count("cuMemFree_v2")).isZero();

            active.region().close();
            memory.close();
            assertThat(cuda.driver.count("cuMemFree_v2")).isOne();
        }
    }

    /** P31. */
    @Test
    void forceRevokesBeforeItFrees() {
        try (CudaFixture cuda = new CudaFixture();
                CopyStream stream = cuda.client.engine(0).openStream()) {
            DeviceMemory memory = cuda.allocate(4096);
            Active active = active(memory);

            memory.closeByForce();

            assertThat(active.events()).containsExactly("revoke FREED", "invalidated FREED");
            assertThat(cuda.driver.count("cuMemFree_v2")).isOne();
            assertThatThrownBy(() -> active.region().copyIn(stream, 0, cuda.pattern(8, 1), new Copy()))
                    .hasMessageContaining("INVALIDATED");
            active.region().close();
        }
    }

    @Test
    void onlyOwnMemoryIsFreed() {
        try (CudaFixture cuda = new CudaFixture()) {
            long foreign = cuda.driver.allocate(0, 4096, Kind.DEVICE);
            assertThatThrownBy(() -> cuda.client.free(0, foreign))
                    .hasMessageContaining("no allocation begins at 0x" + Long.toHexString(foreign));
            cuda.driver.freeForeign(foreign);
        }
    }

    @Test
    void copiesOfARegionArrive() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(1 << 20);
                CopyStream stream = cuda.client.engine(0).openStream()) {
            PeerRegion region = active(memory).region();
            List<Copy> copies = new ArrayList<>();
            MemorySegment pattern = cuda.pattern(1 << 20, 12);
            for (int offset = 0; offset < 1 << 20; offset += 7777) {
                Copy copy = new Copy();
                copies.add(copy);
                region.copyIn(stream, offset, pattern.asSlice(offset, Math.min(7777, (1 << 20) - offset)), copy);
            }
            assertThat(copies).allMatch(copy -> copy.await(SOON) && copy.failure() == null);
            assertSame(cuda.read(memory, 0, 1 << 20), pattern);
            assertThat(region.copiesInFlight()).isZero();
            region.close();
        }
    }

    @Test
    void aNetworkCardHasNoBusAddresses() {
        try (CudaFixture cuda = new CudaFixture();
                DeviceMemory memory = cuda.allocate(4096)) {
            assertThatThrownBy(() -> memory.pin(true, List.of(new DmaDevice("nic0", 64, 1, true))))
                    .hasMessageContaining("has no bus addresses for nic0");
            assertThat(cuda.client.pinned(0)).isZero();
        }
    }

    /** Device lost, found by the poller: copies fail, registrations are revoked, and the other device goes on. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                CudaCode.ECC_UNCORRECTABLE,
                CudaCode.ILLEGAL_ADDRESS,
                CudaCode.CONTEXT_IS_DESTROYED,
                CudaCode.LAUNCH_FAILED,
                CudaCode.UNKNOWN
            })
    void aLostDeviceFailsItsCopiesAndRevokesItsRegistrations(int code) {
        try (CudaFixture cuda = new CudaFixture(2)) {
            DeviceMemory memory = cuda.allocate(4096);
            Active first = active(memory);
            Active second = active(memory);
            DeviceMemory other = cuda.memory.allocate("cuda", 1, 4096);
            Active elsewhere = active(other);
            CopyStream stream = cuda.client.engine(0).openStream();
            cuda.driver.hold(true);
            List<Copy> copies = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Copy copy = new Copy();
                copies.add(copy);
                first.region().copyIn(stream, 0, cuda.pattern(64, i), copy);
            }

            cuda.lose(0, code);

            assertThat(copies).allMatch(copy -> copy.await(SOON));
            assertThat(copies)
                    .allSatisfy(copy -> assertThat(copy.failure())
                            .hasMessageContaining("CUDA device 0: is lost: ")
                            .hasMessageContaining("(" + code + ")"));
            for (Active lost : List.of(first, second)) {
                await(() -> lost.events().equals(List.of("revoke DEVICE_LOST", "invalidated DEVICE_LOST")));
                lost.region().close();
            }
            cuda.driver.hold(false);
            assertThatThrownBy(() -> cuda.allocate(1)).hasMessageContaining("is lost");
            assertThatThrownBy(() -> memory.fill(0, 1, (byte) 1)).hasMessageContaining("is lost");
            assertThatThrownBy(() -> memory.pin(true, List.of())).hasMessageContaining("is lost");
            stream.close();
            memory.close();

            other.fill(0, 4096, (byte) 1);
            assertThat(elsewhere.events()).isEmpty();
            elsewhere.region().close();
            other.close();
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + SOON;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("time left, in -ns").isNegative();
            Thread.onSpinWait();
        }
    }

    /** Device lost, found by the calling thread, without a copy in progress. */
    @Test
    void aCallThatFindsTheDeviceLostRevokesItsRegistrations() {
        try (CudaFixture cuda = new CudaFixture()) {
            DeviceMemory memory = cuda.allocate(4096);
            Active active = active(memory);
            cuda.lose(0, CudaCode.LAUNCH_FAILED);
            assertThatThrownBy(() -> cuda.allocate(1))
                    .hasMessageContaining("is lost: cuMemAlloc_v2 failed: CUDA_ERROR_FAKE (719)");
            await(() -> active.events().equals(List.of("revoke DEVICE_LOST", "invalidated DEVICE_LOST")));
            active.region().close();
            memory.close();
        }
    }

    /** A copy that ran into freed memory is what loses a device most often: only another library can free it. */
    @Test
    void aForeignFreeUnderACopyLosesTheDeviceAndNothingHangs() {
        CudaFixture cuda = new CudaFixture();
        long address = cuda.driver.allocate(0, 4096, Kind.DEVICE);
        DeviceMemory memory = cuda.memory.wrap("cuda", 0, address, 4096);
        Active active = active(memory);
        CopyStream stream = cuda.client.engine(0).openStream();
        cuda.driver.hold(true);
        Copy copy = new Copy();
        active.region().copyIn(stream, 0, cuda.pattern(4096, 3), copy);
        await(() -> cuda.driver.count("cuStreamQuery") > 0);
        cuda.driver.freeForeign(address);
        cuda.driver.hold(false);

        assertThat(copy.await(SOON)).isTrue();
        assertThat(copy.failure()).hasMessageContaining("is lost").hasMessageContaining("(700)");
        await(() -> active.events().contains("invalidated DEVICE_LOST"));
        active.region().close();
        stream.close();
        cuda.memory.close();
        cuda.driver.end();
        cuda.arena.close();
    }

    /** Whatever the loss meets: a registration fails, or is revoked once, and everything can be closed. */
    @Test
    void aLossDuringRegistrationsLeavesNone() throws Exception {
        for (int round = 0; round < 40; round++) {
            try (CudaFixture cuda = new CudaFixture()) {
                DeviceMemory memory = cuda.allocate(4096);
                List<Active> registered = new ArrayList<>();
                AtomicBoolean failed = new AtomicBoolean();
                Thread registering = Thread.ofVirtual().start(() -> {
                    while (!failed.get()) {
                        try {
                            registered.add(active(memory));
                        } catch (UrmaException e) {
                            failed.set(true);
                        }
                    }
                });
                long due = System.nanoTime() + round * 50_000L;
                await(() -> System.nanoTime() - due > 0);
                cuda.lose(0, CudaCode.ILLEGAL_ADDRESS);
                assertThatThrownBy(() -> cuda.allocate(1)).hasMessageContaining("is lost");
                registering.join();

                await(() -> registered.stream().allMatch(one -> one.events().contains("invalidated DEVICE_LOST")));
                assertThat(registered).allMatch(one -> one.events().size() == 2);
                registered.forEach(one -> one.region().close());
                assertThat(cuda.client.pinned(0)).isZero();
                memory.close();
            }
        }
    }
}
