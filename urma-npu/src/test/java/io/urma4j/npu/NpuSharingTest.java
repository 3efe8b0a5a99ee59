package io.urma4j.npu;

import static io.urma4j.npu.NpuFixture.assertSame;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.urma4j.Resource;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyBatch;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.PeerClientRegistration;
import io.urma4j.peer.PeerMemory;
import io.urma4j.peer.PeerMemoryRegistry;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.PeerShare;
import io.urma4j.peer.RegionUser;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that one library shares and another one opens, as two processes would. */
@Timeout(60)
class NpuSharingTest {
    private static final NpuConfig SHARING =
            NpuConfig.DEFAULT.withMemoryBytes(16L << 20).withIpc(true);
    private static final int LENGTH = (2 << 20) + 4097;

    private final NpuFixture home = new NpuFixture(SHARING);
    private final NpuFixture peer = new NpuFixture(SHARING.withSeed(99));

    @AfterEach
    void nothingIsLeft() {
        peer.close();
        home.close();
    }

    private static PeerShare shareOf(DeviceMemory memory) {
        try (PeerRegion region = memory.pin(true, List.of())) {
            return PeerShare.of(region).orElseThrow();
        }
    }

    private PeerRegion opened(byte[] handle, long lengthBytes) {
        PeerRegion region = peer.memory.registry().open("npu", handle, lengthBytes);
        RegionUser keys = new NpuFixture.Active(region, new ArrayList<>());
        region.activate(keys);
        return region;
    }

    private static void write(PeerRegion to, long offset, MemorySegment bytes) {
        Copy copy = new Copy();
        try (CopyStream stream = to.engine().openStream()) {
            to.copyIn(stream, offset, bytes, copy);
            assertThat(copy.await(TimeUnit.SECONDS.toNanos(10))).isTrue();
        }
        assertThat(copy.failure()).isNull();
    }

    private void assertRefused(byte[] handle, long lengthBytes) {
        assertThatThrownBy(() -> peer.memory.registry().open("npu", handle, lengthBytes))
                .isInstanceOfSatisfying(
                        UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.EINVAL));
    }

    @Test
    void bothReachTheSameBytes() {
        DeviceMemory memory = home.allocate(LENGTH);
        MemorySegment first = home.pattern(LENGTH, 1);
        memory.copyFrom(0, first);
        PeerShare share = shareOf(memory);
        try (PeerRegion region = opened(share.handle(), LENGTH)) {
            MemorySegment bytes = peer.arena.allocate(LENGTH);
            Copy copy = new Copy();
            try (CopyStream stream = region.engine().openStream()) {
                region.copyOut(stream, 0, bytes, copy);
                assertThat(copy.await(TimeUnit.SECONDS.toNanos(10))).isTrue();
            }
            assertSame(bytes, first);

            MemorySegment second = peer.pattern(LENGTH - 9, 2);
            write(region, 5, second);

            assertSame(home.read(memory, 5, LENGTH - 9), second);
            assertSame(home.read(memory, 0, 5), first.asSlice(0, 5));
            assertSame(home.read(memory, LENGTH - 4, 4), first.asSlice(LENGTH - 4, 4));
        }
        assertThat(peer.npus.pinnedBytes(0)).isZero();
        memory.close();
    }

    @Test
    void oneCopyReachesOwnAndOpenedMemory() {
        DeviceMemory memory = home.allocate(LENGTH);
        DeviceMemory here = peer.allocate(LENGTH);
        MemorySegment bytes = peer.pattern(LENGTH, 3);
        here.copyFrom(0, bytes);
        PeerShare share = shareOf(memory);
        NpuFixture.Active own = NpuFixture.active(here);
        try (PeerRegion region = opened(share.handle(), LENGTH);
                CopyStream stream = region.engine().openStream()) {
            CopyBatch batch = new CopyBatch(region.engine(), 8);
            batch.begin(own.region(), region);
            for (int at = 0; at < LENGTH; at += LENGTH / 7) {
                batch.add(at, at, Math.min(LENGTH / 7, LENGTH - at));
            }
            batch.start(stream);
            assertThat(batch.copy().await(TimeUnit.SECONDS.toNanos(10))).isTrue();
        }
        assertSame(home.read(memory, 0, LENGTH), bytes);
        own.region().close();
        here.close();
        memory.close();
    }

    /** The registry goes on after a failure of the client, and so does the client. */
    @Test
    void endThatFailsStillUnmapsOpenedMemory() {
        DeviceMemory memory = home.allocate(LENGTH);
        PeerShare share = shareOf(memory);
        PeerRegion region = opened(share.handle(), LENGTH);
        long address = region.range().address();
        peer.npus.faults().on("release", 1, () -> {
            throw new IllegalStateException("of a test");
        });

        region.close();

        try (DeviceMemory next = peer.allocate(LENGTH)) {
            assertThat(next.address()).isEqualTo(address);
        }
        memory.close();
    }

    @Test
    void openedMemoryIsNeitherRegisteredNorShared() {
        DeviceMemory memory = home.allocate(LENGTH);
        PeerShare share = shareOf(memory);
        try (PeerRegion region = opened(share.handle(), LENGTH)) {
            long address = region.range().address();
            assertThatThrownBy(() -> peer.memory.wrap("npu", 0, address, 8))
                    .hasMessageContaining("imported from another process");
            assertThat(PeerShare.of(region)).isEmpty();
            assertThatThrownBy(() -> peer.npus.sharing().orElseThrow().share(0, address))
                    .hasMessageContaining("no allocation that can be shared");
            assertThatThrownBy(() -> peer.npus.free(0, address)).hasMessageContaining("no allocation begins");
        }
        memory.close();
    }

    @Test
    void onlyWholeAllocationsOfTheLibraryAreShared() {
        DeviceMemory memory = home.allocate(LENGTH);
        try (DeviceMemory part = home.memory.wrap("npu", 0, memory.address(), 4096);
                PeerRegion region = part.pin(true, List.of())) {
            assertThat(PeerShare.of(region)).isEmpty();
        }
        long other = home.npus.allocate(0, LENGTH);
        try (DeviceMemory foreign = home.memory.wrap("npu", 0, other, LENGTH);
                PeerRegion region = foreign.pin(true, List.of())) {
            assertThat(PeerShare.of(region)).isEmpty();
        }
        home.npus.free(0, other);
        memory.close();
    }

    /** A handle comes from a peer: none of its bits may do harm. */
    @Test
    void wrongHandlesAreRefused() {
        DeviceMemory memory = home.allocate(LENGTH);
        byte[] handle = shareOf(memory).handle();
        assertRefused(handle, 0);
        assertRefused(handle, -1);
        assertRefused(handle, (4 << 20) + 1);
        assertRefused(handle, Long.MAX_VALUE);
        for (int length : new int[] {0, 1, 55, 57, 256, 257, 100_000}) {
            assertRefused(new byte[length], LENGTH);
        }
        for (int bit = 0; bit < 8 * handle.length; bit++) {
            boolean isPid = bit >= 64 && bit < 128; // it may become that of another thread of this process
            byte[] wrong = handle.clone();
            wrong[bit / 8] ^= (byte) (1 << bit % 8);
            if (!isPid) {
                assertRefused(wrong, LENGTH);
            }
        }
        Random random = new Random(5);
        for (int i = 0; i < 200; i++) {
            byte[] wrong = new byte[handle.length];
            random.nextBytes(wrong);
            assertRefused(wrong, LENGTH);
        }
        assertThatThrownBy(() -> peer.memory.registry().open("cuda", handle, LENGTH))
                .hasMessageContaining("no client 'cuda'");
        opened(handle, LENGTH).close();
        memory.close();
    }

    @Test
    void handleOfFreedMemoryIsRefused() {
        DeviceMemory memory = home.allocate(LENGTH);
        byte[] handle = shareOf(memory).handle();
        memory.close();

        assertRefused(handle, LENGTH);
        DeviceMemory next = home.allocate(LENGTH);
        assertRefused(handle, LENGTH);
        next.close();
    }

    @Test
    void devicesOfAnotherKindRefuseTheHandle() {
        DeviceMemory memory = home.allocate(LENGTH);
        byte[] handle = shareOf(memory).handle();
        try (NpuFixture other = new NpuFixture(SHARING.withPageBytes(4096))) {
            assertThatThrownBy(() -> other.memory.registry().open("npu", handle, LENGTH))
                    .hasMessageContaining("pages have 65536 bytes, those here 4096");
        }
        memory.close();
    }

    @Test
    void withoutTheSettingNothingIsShared() {
        try (NpuFixture plain = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory memory = plain.allocate(LENGTH);
            try (PeerRegion region = memory.pin(true, List.of())) {
                assertThat(PeerShare.of(region)).isEmpty();
            }
            PeerMemoryRegistry registry = plain.memory.registry();
            assertThat(registry.openers()).isEmpty();
            assertThatThrownBy(() -> registry.open("npu", new byte[56], 8))
                    .hasMessageContaining("opens no memory of other processes");
            memory.close();
        }
        assertThat(home.memory.registry().openers()).containsExactly("npu");
        assertThat(NpuConfig.parse("1,ipc=true").ipc()).isTrue();
        assertThatThrownBy(() -> NpuConfig.parse("1,ipc=true,profile=dmabuf"))
                .hasMessageContaining("ipc needs pages that stay");
    }

    @Test
    void freeWaitsForTheLastPeer() {
        DeviceMemory memory = home.allocate(LENGTH);
        PeerShare share = shareOf(memory);
        assertShown(0, 0);
        assertThat(share.lend()).isTrue();
        assertThat(share.lend()).isTrue();
        assertShown(1, 0);

        memory.close();

        assertShown(1, LENGTH);
        assertThat(share.lend()).as("lent after the free").isFalse();
        DeviceMemory other = home.allocate(LENGTH);
        assertThat(other.address()).isNotEqualTo(memory.address());
        share.giveBack();
        assertThat(home.npus.log().calls()).noneMatch(call -> call.name().equals("unshare"));
        share.giveBack();
        await().untilAsserted(() -> assertShown(0, 0));
        try (DeviceMemory next = home.allocate(LENGTH)) {
            assertThat(next.address()).isEqualTo(memory.address());
        }
        assertThatThrownBy(share::giveBack).isInstanceOf(IllegalStateException.class);
        other.close();
    }

    /** What a look from outside shows of the client. */
    private void assertShown(int lent, long quarantinedBytes) {
        assertThat(home.memory.registry().resources(Resource.Kind.PEER_CLIENT))
                .singleElement()
                .returns(Integer.toString(lent), row -> row.field("lent_cnt"))
                .returns(Long.toString(quarantinedBytes), row -> row.field("quarantined_bytes"));
    }

    @Test
    void freeOfMemoryThatNoPeerHasOpenIsAtOnce() {
        DeviceMemory memory = home.allocate(LENGTH);
        PeerShare share = shareOf(memory);
        assertThat(share.lend()).isTrue();
        share.giveBack();

        memory.close();

        try (DeviceMemory next = home.allocate(LENGTH)) {
            assertThat(next.address()).isEqualTo(memory.address());
        }
    }

    /** The simulation says so, since a driver defines no behaviour for it. */
    @Test
    void freeUnderItsPeersIsAViolation() {
        NpuFixture careless = new NpuFixture(SHARING);
        long address = careless.npus.allocate(0, LENGTH);
        var _ = careless.npus.sharing().orElseThrow().share(0, address);

        careless.npus.free(0, address);

        assertThat(careless.npus.violations()).singleElement().asString().contains("peers may have it open");
        careless.npus.close();
    }

    /** A reset takes the memory away, but its peers do not know that yet: they write to no later allocation. */
    @Test
    void resetLeavesItsPagesToThePeers() {
        DeviceMemory memory = home.allocate(14L << 20);
        PeerShare share = shareOf(memory);
        assertThat(share.lend()).isTrue();
        try (PeerRegion region = opened(share.handle(), LENGTH)) {
            home.npus.reset(0);

            assertRefused(share.handle(), LENGTH);
            assertThatThrownBy(() -> home.allocate(4L << 20)).hasMessageContaining("lacks memory");
            DeviceMemory next = home.allocate(2L << 20);
            next.fill(0, 2L << 20, (byte) 3);
            write(region, 0, peer.pattern(LENGTH, 1));
            assertThat(home.read(next, 0, 2L << 20).elements(JAVA_BYTE)).allMatch(one -> one.get(JAVA_BYTE, 0) == 3);
            next.close();
        }
        memory.close();
        share.giveBack();
        await().untilAsserted(() -> assertShown(0, 0));
        home.allocate(14L << 20).close();
    }

    @Test
    void clientStaysWhilePeersHaveItsMemoryOpen() throws Exception {
        PeerMemory lending = PeerMemory.open(UrmaOptions.DEFAULT);
        PeerClientRegistration registration = lending.add(new SimulatedNpus(SHARING));
        DeviceMemory memory = lending.allocate("npu", 0, LENGTH);
        PeerShare share = shareOf(memory);
        assertThat(share.lend()).isTrue();
        memory.close();

        var end = registration.unregister();

        assertThat(end).isNotDone();
        assertThat(registration.holders()).singleElement().asString().contains("lent 1 times");
        share.giveBack();
        end.get(10, TimeUnit.SECONDS);
        lending.close();
    }

    /** Memory that is never freed does not keep its client either. */
    @Test
    void clientEndsOnceItsPeersHaveClosedItsMemory() throws Exception {
        PeerMemory lending = PeerMemory.open(UrmaOptions.DEFAULT);
        PeerClientRegistration registration = lending.add(new SimulatedNpus(SHARING));
        DeviceMemory memory = lending.allocate("npu", 0, LENGTH);
        PeerShare share = shareOf(memory);
        assertThat(share.lend()).isTrue();
        assertThat(share.lend()).isTrue();
        var end = registration.unregister();

        share.giveBack();
        assertThat(end).isNotDone();
        share.giveBack();

        end.get(10, TimeUnit.SECONDS);
        memory.close(); // it has gone with its client
        lending.close();
    }

    /** The opener's own device may be reset at any time: its copies fail, and the home's memory stays. */
    @Test
    void resetOfTheOpenersDeviceEndsItsAccess() {
        DeviceMemory memory = home.allocate(LENGTH);
        MemorySegment bytes = home.pattern(LENGTH, 1);
        memory.copyFrom(0, bytes);
        PeerShare share = shareOf(memory);
        PeerRegion region = opened(share.handle(), LENGTH);

        peer.npus.reset(0);

        assertThat(region.isUsable()).isFalse();
        region.close();
        assertSame(home.read(memory, 0, LENGTH), bytes);
        memory.close();
    }
}
