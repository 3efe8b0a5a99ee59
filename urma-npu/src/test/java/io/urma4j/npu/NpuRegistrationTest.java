package io.urma4j.npu;

import static io.urma4j.npu.NpuFixture.active;
import static io.urma4j.npu.NpuFixture.assertSame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaStatus;
import io.urma4j.npu.NpuFixture.Active;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaDevice;
import io.urma4j.peer.DmaMapping;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.Ownership;
import io.urma4j.peer.PeerAcquisition;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.PinnedPages;
import io.urma4j.peer.RegionUser;
import io.urma4j.peer.Ticket;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Registrations of simulated memory: where bytes land, and what happens when their device takes the pages away. */
@Timeout(120)
class NpuRegistrationTest {
    private static final DmaDevice NIC = new DmaDevice("nic0", 64, 1, true);
    private static final DmaDevice OTHER_NIC = new DmaDevice("nic1", 64, 2, true);
    private static final DmaDevice RAW_NIC = new DmaDevice("raw", 64, DmaDevice.UNTRANSLATED, true);

    /** P12 to P14: over scattered pages, behind an IOMMU, from two cards. */
    @Test
    void aCardReachesEachByteByItsBusAddress() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withPageBytes(4096));
                DeviceMemory memory = npu.allocate(64 << 10)) {
            MemorySegment pattern = npu.pattern(64 << 10, 5);
            memory.copyFrom(0, pattern);
            PeerRegion region = active(memory, NIC, OTHER_NIC, RAW_NIC).region();
            MemorySegment one = npu.arena.allocate(1);
            for (DmaDevice nic : List.of(NIC, OTHER_NIC, RAW_NIC)) {
                for (long offset = 0; offset < memory.lengthBytes(); offset += 1021) {
                    npu.npus.busRead(nic, region.busAddress(nic, offset), one);
                    assertThat(one.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(pattern.get(ValueLayout.JAVA_BYTE, offset));
                }
            }
            assertThatThrownBy(() -> npu.npus.busRead(OTHER_NIC, region.busAddress(NIC, 0), one))
                    .hasMessageContaining("faulted");
            region.close();
            assertThat(npu.npus.iommu().faults()).hasSize(1);
        }
    }

    /** P13: a client that takes physical addresses for bus addresses is found out. */
    @Test
    void physicalAddressesFaultBehindAnIommu() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withProfile(NpuProfile.AMD));
                DeviceMemory memory = npu.allocate(4096)) {
            PeerRegion region = active(memory, NIC, RAW_NIC).region();
            MemorySegment one = npu.arena.allocate(1);

            npu.npus.busWrite(RAW_NIC, region.busAddress(RAW_NIC, 7), one);
            assertThatThrownBy(() -> npu.npus.busWrite(NIC, region.busAddress(NIC, 7), one))
                    .hasMessageContaining("faulted");
            region.close();
        }
    }

    /** P5, P17: the second card's mapping fails at its eleventh page. */
    @Test
    void aMappingThatFailsHalfwayLeavesNothing() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withPageBytes(4096));
                DeviceMemory memory = npu.allocate(64 << 10)) {
            npu.npus.faults().on("mapPage", 16 + 11, () -> {
                throw new IllegalStateException("out of IOVA");
            });
            assertThatThrownBy(() -> memory.pin(true, List.of(NIC, OTHER_NIC))).hasMessageContaining("out of IOVA");
            assertThat(npu.npus.iommu().mappings()).isZero();
            assertThat(npu.npus.pinnedBytes(0)).isZero();
            memory.pin(true, List.of(NIC)).close();
        }
    }

    /** P20: every client that calls back, idle. */
    @ParameterizedTest
    @EnumSource(
            value = NpuProfile.class,
            names = {"PLAIN", "NVIDIA", "AMD", "ASCEND", "DMABUF", "FAULTY"})
    void aFreeRevokesAndGivesBack(NpuProfile profile) {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withProfile(profile))) {
            DeviceMemory memory = npu.allocate(4 << 20);
            Active active = active(memory, NIC);

            npu.npus.free(0, memory.address());

            assertThat(active.events()).containsExactly("revoke FREED", "invalidated FREED");
            assertThat(npu.npus.pinnedBytes(0)).isZero();
            assertThat(npu.npus.iommu().mappings()).isZero();
            active.region().close();
        }
    }

    /** P21: whatever the free meets, no byte moves in the memory's next life. */
    @ParameterizedTest
    @EnumSource(
            value = NpuProfile.class,
            names = {"PLAIN", "ASCEND", "DMABUF"})
    void afterAFreeNoByteOfTheNextOwnerChanges(NpuProfile profile) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int rounds = Boolean.getBoolean("urma.full") ? 2_000 : 40;
        NpuConfig config = NpuConfig.DEFAULT.withProfile(profile).withMemoryBytes(16 << 20);
        try (NpuFixture npu = new NpuFixture(config)) {
            MemorySegment source = npu.arena.allocate(256 << 10);
            source.fill((byte) 0x55);
            MemorySegment canary = npu.arena.allocate(2 << 20);
            MemorySegment expected = npu.arena.allocate(2 << 20);
            expected.fill((byte) 0xC3);
            for (int round = 0; round < rounds; round++) {
                DeviceMemory memory = npu.allocate(2 << 20);
                Active active = active(memory, NIC);
                try (CopyStream stream = active.region().engine().openStream()) {
                    Copy[] copies = new Copy[32];
                    for (int i = 0; i < copies.length; i++) {
                        copies[i] = new Copy();
                        active.region().copyIn(stream, random.nextInt(7) * (256L << 10), source, copies[i]);
                    }
                    spin(random.nextInt(20_000));
                    npu.npus.free(0, memory.address());
                    long next = npu.npus.allocate(0, 2 << 20);
                    assertThat(next).as("address is reused").isEqualTo(memory.address());
                    npu.npus.kernelWrite(0, next, expected);
                    for (Copy copy : copies) {
                        assertThat(copy.await(TimeUnit.SECONDS.toNanos(10)))
                                .as("round %d of seed %d", round, seed)
                                .isTrue();
                    }
                    assertThatThrownBy(() -> active.region().copyIn(stream, 0, source, copies[0]))
                            .hasMessageContaining("it is INVALIDATED");
                    spin(50_000);
                    npu.npus.kernelRead(0, next, canary);
                    assertSame(canary, expected);
                    npu.npus.free(0, next);
                }
                active.region().close();
            }
        }
    }

    /** P18: another thread frees while the pages are being mapped. */
    @Test
    void aFreeWhilePagesAreMappedIsNotLost() throws InterruptedException {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory memory = npu.allocate(1 << 20);
            AtomicReference<Thread> freeing = new AtomicReference<>();
            npu.npus.faults().on("mapPage", 3, () -> {
                freeing.set(Thread.ofPlatform().daemon().start(() -> npu.npus.free(0, memory.address())));
                awaitCall(npu, "invalidate");
                awaitWaiting(freeing.get()); // the registry knows of the free
            });

            PeerRegion region = memory.pin(true, List.of(NIC));
            Active active = new Active(region, new ArrayList<>());
            assertThatThrownBy(() -> region.activate(active))
                    .hasMessageContaining("was invalidated while it was registered");
            assertThat(freeing.get().join(Duration.ofSeconds(10))).isTrue();

            assertThat(active.events()).containsExactly("revoke FREED", "invalidated FREED");
            region.close();
        }
    }

    private static void awaitWaiting(Thread thread) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime() - deadline).as("%s waits", thread).isNegative();
            Thread.onSpinWait();
        }
    }

    private static void awaitCall(NpuFixture npu, String name) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (npu.npus.log().calls().stream().noneMatch(call -> call.name().equals(name))) {
            assertThat(System.nanoTime() - deadline).as("wait for %s", name).isNegative();
            Thread.onSpinWait();
        }
    }

    /** Otherwise new copies would begin for ever. */
    @Test
    void keysAreRevokedBeforeTheCopiesAreFenced() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory memory = npu.allocate(4096);
            PeerRegion region = memory.pin(true, List.of());
            Copy copy = new Copy();
            List<Boolean> doneAtEvents = new ArrayList<>();
            region.activate(new RegionUser() {
                @Override
                public void revoke(InvalidationReason reason) {
                    doneAtEvents.add(copy.await(TimeUnit.MILLISECONDS.toNanos(100)));
                }

                @Override
                public void invalidated(InvalidationReason reason) {
                    doneAtEvents.add(copy.await(TimeUnit.SECONDS.toNanos(10)));
                }
            });
            try (CopyStream stream = region.engine().openStream()) {
                npu.npus.stop(0, true);
                region.copyIn(stream, 0, npu.arena.allocate(4096), copy);

                npu.npus.free(0, memory.address());

                assertThat(doneAtEvents).containsExactly(false, true);
            }
            region.close();
        }
    }

    @Test
    void copiesStayWithinTheirRegion() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            long address = npu.npus.allocate(0, 8192);
            PeerRegion region =
                    active(npu.memory.wrap("npu", 0, address + 100, 4096)).region();
            MemorySegment host = npu.arena.allocate(4097);
            try (CopyStream stream = region.engine().openStream()) {
                Copy copy = new Copy();
                assertThatThrownBy(() -> region.copyIn(stream, 0, host, copy))
                        .hasMessageContaining("lies outside its 4096 bytes");
                assertThatThrownBy(() -> region.copyOut(stream, 4095, host.asSlice(0, 2), copy))
                        .hasMessageContaining("lies outside its 4096 bytes");
                region.copyIn(stream, 4095, host.asSlice(0, 1), copy);
            }
            region.close();
            npu.npus.free(0, address);
        }
    }

    /** P24. */
    @Test
    void aFreeRacingACloseGivesBackOnce() throws InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int rounds = Boolean.getBoolean("urma.full") ? 20_000 : 300;
        for (NpuProfile profile : List.of(NpuProfile.PLAIN, NpuProfile.ASCEND)) {
            try (NpuFixture npu =
                    new NpuFixture(NpuConfig.DEFAULT.withProfile(profile).withMemoryBytes(4 << 20))) {
                for (int round = 0; round < rounds; round++) {
                    DeviceMemory memory = npu.allocate(2 << 20);
                    PeerRegion region = active(memory, NIC).region();
                    Thread freeing = Thread.ofPlatform().daemon().start(() -> npu.npus.free(0, memory.address()));
                    spin(random.nextInt(100_000));
                    region.close();
                    assertThat(freeing.join(Duration.ofSeconds(10)))
                            .as("round %d of seed %d", round, seed)
                            .isTrue();
                    assertThat(npu.npus.violations())
                            .as("round %d of seed %d", round, seed)
                            .isEmpty();
                    npu.npus.log().clear();
                }
            }
        }
    }

    private static void spin(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
            Thread.onSpinWait();
        }
    }

    /** P28: the engine is stuck, and the free returns. */
    @Test
    void aFreeAbortsAStuckCopy() throws InterruptedException {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory memory = npu.allocate(4096);
            Active active = active(memory);
            try (CopyStream stream = active.region().engine().openStream()) {
                Copy copy = new Copy();
                npu.npus.stop(0, true);
                active.region().copyIn(stream, 0, npu.arena.allocate(4096), copy);

                Thread freeing = Thread.ofPlatform().daemon().start(() -> npu.npus.free(0, memory.address()));
                boolean returned = freeing.join(Duration.ofSeconds(10));
                npu.npus.stop(0, false);

                assertThat(returned).isTrue();
                assertThat(copy.await(TimeUnit.SECONDS.toNanos(10))).isTrue();
                assertThat(copy.failure()).hasMessageContaining("copy was aborted");
                assertThat(npu.counters().lateFences()).isOne();
            }
            active.region().close();
        }
    }

    /** P29. */
    @Test
    void memoryAtAReusedAddressIsNotTheOldOne() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory old = npu.allocate(4096);
            npu.npus.free(0, old.address());
            DeviceMemory next = npu.allocate(4096);
            assertThat(next.address()).isEqualTo(old.address());
            assertThat(next.identity()).isNotEqualTo(old.identity());

            assertThatThrownBy(() -> old.pin(true, List.of()))
                    .hasMessageContaining("its address belongs to another allocation now");
            next.close();
        }
    }

    /** P30. */
    @Test
    void aResetInvalidatesAllRegistrations() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withDevices(2))) {
            Active first = active(npu.allocate(4096));
            Active second = active(npu.allocate(4096));
            DeviceMemory elsewhere = npu.memory.allocate("npu", 1, 4096);
            Active other = active(elsewhere);

            npu.npus.reset(0);

            assertThat(first.events()).containsExactly("revoke DEVICE_RESET", "invalidated DEVICE_RESET");
            assertThat(second.events()).containsExactly("revoke DEVICE_RESET", "invalidated DEVICE_RESET");
            assertThat(other.events()).isEmpty();
            List.of(first, second, other).forEach(active -> active.region().close());
            elsewhere.close();
        }
    }

    /** P31: pages of a client that never calls back stay until they are put, and our free is refused. */
    @ParameterizedTest
    @EnumSource(
            value = NpuProfile.class,
            names = {"NVIDIA_PERSISTENT", "DMABUF_PINNED"})
    void persistentPagesOutliveAFree(NpuProfile profile) {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withProfile(profile))) {
            DeviceMemory memory = npu.allocate(2 << 20);
            Active active = active(memory, NIC);
            assertThatThrownBy(memory::close)
                    .hasMessageContaining("cannot be freed, 1 registrations hold it")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.EAGAIN);

            npu.npus.free(0, memory.address()); // as another library would
            DeviceMemory next = npu.allocate(2 << 20);
            next.fill(0, 2 << 20, (byte) 3);
            npu.npus.busWrite(NIC, active.region().busAddress(NIC, 0), npu.pattern(8, 1));

            assertThat(active.events()).isEmpty();
            assertThat(npu.read(next, 0, 1).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3);
            active.region().close();
            next.close();
        }
    }

    /** P31: by force, the registrations are revoked before the free. */
    @ParameterizedTest
    @EnumSource(NpuProfile.class)
    void aFreeByForceRevokesFirst(NpuProfile profile) {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withProfile(profile))) {
            DeviceMemory memory = npu.allocate(2 << 20);
            Active active = active(memory, NIC);

            memory.closeByForce();

            assertThat(active.events()).containsExactly("revoke FREED", "invalidated FREED");
            assertThat(npu.npus.pinnedBytes(0)).isZero();
            active.region().close();
        }
    }

    /** A client that loses a callback keeps the pages pinned: peers write pages of no other allocation. */
    @Test
    void aLostCallbackNeverReachesTheNextOwner() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withProfile(NpuProfile.FAULTY))) {
            DeviceMemory memory = npu.allocate(2 << 20);
            npu.npus.faults().on("dmaMap", 1, () -> npu.npus.free(0, memory.address()));
            Active active = active(memory, NIC);
            DeviceMemory next = npu.allocate(2 << 20);
            next.fill(0, 2 << 20, (byte) 3);

            npu.npus.busWrite(NIC, active.region().busAddress(NIC, 0), npu.pattern(8, 1));

            assertThat(active.events()).isEmpty();
            assertThat(npu.read(next, 0, 1).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3);
            active.region().close();
            next.close();
        }
    }

    /** P38: the window of the device. */
    @Test
    void anExhaustedWindowNamesItsLimit() {
        NpuConfig config = NpuConfig.DEFAULT.withWindowBytes(1 << 20);
        try (NpuFixture npu = new NpuFixture(config);
                DeviceMemory memory = npu.allocate(1 << 20);
                DeviceMemory more = npu.allocate(1)) {
            Active active = active(memory);
            assertThatThrownBy(() -> more.pin(true, List.of()))
                    .hasMessageContaining("window of 1048576 bytes is exhausted: 1048576 are pinned")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.ENOMEM);
            npu.memory.registry().onExhaustion(() -> {
                active.region().close();
                return true;
            });
            more.pin(true, List.of()).close();
        }
    }

    /** P15 of NVIDIA's pages: any other size is refused. */
    @Test
    void nvidiaPinsPagesOf64KibAlone() {
        NpuConfig config = NpuConfig.DEFAULT.withProfile(NpuProfile.NVIDIA).withPageBytes(4096);
        try (NpuFixture npu = new NpuFixture(config);
                DeviceMemory memory = npu.allocate(4096)) {
            assertThatThrownBy(() -> memory.pin(true, List.of()))
                    .hasMessageContaining("has pages of 4096 bytes, not of 64 KiB")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.EINVAL);
        }
    }

    @Test
    void nvidiaMapsForPciDevicesAlone() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withProfile(NpuProfile.NVIDIA));
                DeviceMemory memory = npu.allocate(4096)) {
            DmaDevice platform = new DmaDevice("dsa0", 64, 1, false);
            assertThatThrownBy(() -> memory.pin(true, List.of(platform)))
                    .hasMessageContaining("maps for PCI devices alone");
        }
    }

    /** A move: the next copy lands on the new pages. */
    @Test
    void copiesFollowPagesThatMoved() throws InterruptedException {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withProfile(NpuProfile.DMABUF));
                DeviceMemory memory = npu.allocate(64 << 10)) {
            MemorySegment pattern = npu.pattern(64 << 10, 2);
            Active active = active(memory, NIC);
            PeerRegion region = active.region();
            long before = region.busAddress(NIC, 0);
            try (CopyStream stream = region.engine().openStream()) {
                Copy copy = new Copy();
                for (int i = 0; i < 20; i++) {
                    npu.npus.move(0, memory.address());
                    region.copyIn(stream, 0, pattern, copy);
                    assertThat(copy.await(TimeUnit.SECONDS.toNanos(10))).isTrue();
                    assertThat(copy.failure()).isNull();
                }
            }
            assertSame(npu.read(memory, 0, 64 << 10), pattern);
            assertThat(region.busAddress(NIC, 0)).isNotEqualTo(before);
            assertThat(npu.counters().repins()).isEqualTo(20);
            assertThat(active.events()).isEmpty();
            region.close();
        }
    }

    /** A copy takes the time that its rate asks for. */
    @Test
    void aThrottledEngineIsNoFasterThanItsRate() {
        NpuConfig config = NpuConfig.DEFAULT.withBytesPerSecond(100 << 20).withLatencyNanos(1_000_000);
        try (NpuFixture npu = new NpuFixture(config);
                DeviceMemory memory = npu.allocate(5 << 20)) {
            long began = System.nanoTime();
            memory.fill(0, 5 << 20, (byte) 1);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(45));
        }
    }

    @Test
    void anAlignedEngineRefusesEdges() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withAlignmentBytes(32));
                DeviceMemory memory = npu.allocate(4096)) {
            memory.copyFrom(32, npu.arena.allocate(64));
            assertThatThrownBy(() -> memory.copyFrom(33, npu.arena.allocate(64)))
                    .hasMessageContaining("is no multiple of 32");
            assertThatThrownBy(() -> memory.copyFrom(32, npu.arena.allocate(63)))
                    .hasMessageContaining("is no multiple of 32");
        }
    }

    /** P44, P45: the simulated driver finds a registry that unmaps twice, or what is not its own. */
    @Test
    void wrongCallsAreFoundOut() {
        SimulatedNpus npus = new SimulatedNpus(NpuConfig.DEFAULT);
        long address = npus.allocate(0, 4096);
        DeviceRange range = new DeviceRange(0, address, 4096);
        PeerAcquisition one = ((Ownership.Mine) npus.acquire(range)).acquisition();
        PeerAcquisition other = ((Ownership.Mine) npus.acquire(range)).acquisition();
        Ticket ticket = new Ticket(1);
        PinnedPages pages = one.getPages(true, ticket, (_, _) -> {});
        DmaMapping mapping = one.dmaMap(pages, NIC);

        assertThatThrownBy(() -> other.dmaUnmap(mapping)).hasMessageContaining("does not have");
        one.dmaUnmap(mapping);
        assertThatThrownBy(() -> one.dmaUnmap(mapping)).hasMessageContaining("does not have");
        one.putPages(pages);
        assertThatThrownBy(() -> one.putPages(pages)).hasMessageContaining("has no pages");
        other.getPages(true, ticket, (_, _) -> {});
        other.release();
        assertThat(npus.violations())
                .hasSize(4)
                .last()
                .asString()
                .contains("release of registration 2 with pinned pages");
        assertThat(npus.pinnedBytes(0)).isZero();
        npus.close();
    }
}
