package io.urma4j.npu;

import static io.urma4j.npu.NpuFixture.assertSame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Urma;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.PeerClientRegistration;
import io.urma4j.peer.PeerMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Device memory in the hands of a user: allocation, copies, foreign pointers, and what is refused. */
@Timeout(60)
class DeviceMemoryTest {
    @Test
    void theSettingBringsDevices() {
        UrmaOptions options = UrmaOptions.DEFAULT.withSetting("urma.npu", "2,profile=ascend,memory=64M");
        try (Urma urma = Urma.open(options)) {
            assertThat(urma.peerMemory().clients()).hasSize(1).first().satisfies(client -> {
                assertThat(client.name()).isEqualTo("npu");
                assertThat(client.devices()).hasSize(2);
            });
            try (DeviceMemory memory = urma.peerMemory().allocate("npu", 1, 4096)) {
                assertThat(memory.ordinal()).isOne();
                assertThat(memory).hasToString("npu:1 memory 0x" + Long.toHexString(memory.address()) + " + 4096");
            }
        }
    }

    @Test
    void withoutTheSettingTheReasonIsTold() {
        try (PeerMemory memory = PeerMemory.open(UrmaOptions.DEFAULT)) {
            assertThat(memory.clients()).isEmpty();
            assertThat(memory.absentClients()).containsKey("npu");
            assertThatThrownBy(() -> memory.allocate("npu", 0, 1))
                    .hasMessageContaining("client npu does not work here")
                    .hasMessageContaining("URMA_NPU=2");
            assertThatThrownBy(() -> memory.allocate("cuda", 0, 1))
                    .hasMessageContaining("no client 'cuda'; there are: none");
        }
    }

    /** P12: pages lie scattered, and bytes still land in order. */
    @ParameterizedTest
    @ValueSource(ints = {4 << 10, 64 << 10, 2 << 20})
    void bytesCrossPagesInOrder(int pageBytes) {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withPageBytes(pageBytes));
                DeviceMemory memory = npu.allocate(7 << 20)) {
            MemorySegment pattern = npu.pattern((4 << 20) + 3, 7);
            memory.fill(0, memory.lengthBytes(), (byte) 1);
            memory.copyFrom(pageBytes - 5L, pattern);

            assertSame(npu.read(memory, pageBytes - 5L, pattern.byteSize()), pattern);
            assertThat(npu.read(memory, pageBytes - 6L, 1).get(ValueLayout.JAVA_BYTE, 0))
                    .isEqualTo((byte) 1);
            assertThat(npu.read(memory, pageBytes - 5L + pattern.byteSize(), 1).get(ValueLayout.JAVA_BYTE, 0))
                    .isEqualTo((byte) 1);
        }
    }

    @SuppressWarnings("restricted") // on purpose: the address is not the host's
    @Test
    void aStrayHostAccessThrows() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT);
                DeviceMemory memory = npu.allocate(4096)) {
            MemorySegment stray = MemorySegment.ofAddress(memory.address()).reinterpret(4096);
            assertThatThrownBy(() -> stray.get(ValueLayout.JAVA_LONG, 0)).isInstanceOf(InternalError.class);
        }
    }

    /** P35. */
    @Test
    void kernelsSeeWhatWasWrittenAfterAFlush() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withStale(true));
                DeviceMemory memory = npu.allocate(4096)) {
            MemorySegment pattern = npu.pattern(4096, 3);
            MemorySegment seen = npu.arena.allocate(4096);
            memory.copyFrom(0, pattern);
            npu.npus.kernelRead(0, memory.address(), seen);
            assertThat(seen.mismatch(pattern)).isNotEqualTo(-1);

            memory.flush();

            npu.npus.kernelRead(0, memory.address(), seen);
            assertSame(seen, pattern);
        }
    }

    /** A reset took the memory away, and its address belongs to another allocation when it is closed. */
    @Test
    void closingMemoryOfAnEarlierLifeOfItsDeviceFreesNoOther() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory lost = npu.allocate(4096);
            npu.npus.reset(0);
            try (DeviceMemory next = npu.allocate(4096)) {
                assertThat(next.address()).isEqualTo(lost.address());

                lost.close();

                MemorySegment pattern = npu.pattern(4096, 5);
                next.copyFrom(0, pattern);
                assertSame(npu.read(next, 0, 4096), pattern);
            }
        }
    }

    /** The address belongs to a shorter allocation, in which the closed memory does not lie as a whole. */
    @Test
    void closingMemoryOfAnEarlierLifeFreesNoShorterOne() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory lost = npu.allocate(4L << 20);
            npu.npus.reset(0);
            try (DeviceMemory next = npu.allocate(4096)) {
                assertThat(next.address()).isEqualTo(lost.address());

                lost.close();

                next.fill(0, 4096, (byte) 1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void memoryThatItsDeviceHasLostMayBeClosed(boolean isDeviceGone) {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory memory = npu.allocate(4096);
            if (isDeviceGone) {
                npu.npus.lose(0);
            } else {
                npu.npus.reset(0);
            }

            memory.close();
            memory.close();
        }
    }

    /** S15.37: the client is removed, and its library stays. */
    @Test
    void memoryMayBeClosedAfterItsClient() {
        try (PeerMemory memory = PeerMemory.open(UrmaOptions.DEFAULT)) {
            PeerClientRegistration registration = memory.add(new SimulatedNpus(NpuConfig.DEFAULT));
            DeviceMemory closed = memory.allocate("npu", 0, 4096);
            DeviceMemory forced = memory.allocate("npu", 0, 4096);
            assertThat(registration.unregister()).isDone();

            closed.close();
            forced.closeByForce();
        }
    }

    /** A client that waits for its last registration still frees. */
    @Test
    void memoryOfAClientThatIsLeavingIsFreed() {
        try (PeerMemory memory = PeerMemory.open(UrmaOptions.DEFAULT)) {
            SimulatedNpus npus = new SimulatedNpus(NpuConfig.DEFAULT);
            PeerClientRegistration registration = memory.add(npus);
            DeviceMemory freed = memory.allocate("npu", 0, 4096);
            DeviceMemory held = memory.allocate("npu", 0, 4096);
            NpuFixture.Active active = NpuFixture.active(held);
            var end = registration.unregister();
            assertThat(end).isNotDone();

            freed.close();

            assertThatThrownBy(() -> npus.free(0, freed.address())).hasMessageContaining("no allocation begins");
            active.region().close();
            assertThat(end).succeedsWithin(Duration.ofSeconds(5));
            held.close();
        }
    }

    @Test
    void peersSeeWhatAKernelWrote() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withStale(true));
                DeviceMemory memory = npu.allocate(4096)) {
            MemorySegment pattern = npu.pattern(100, 4);
            npu.npus.kernelWrite(0, memory.address() + 50, pattern);
            assertSame(npu.read(memory, 50, 100), pattern);
        }
    }

    @Test
    void aPointerOfAnotherLibraryIsWrapped() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withDevices(2))) {
            long address = npu.npus.allocate(1, 8192);
            DeviceMemory memory = npu.memory.wrap(PeerMemory.AUTO, DeviceRange.ANY, address + 100, 4000);
            assertThat(memory.ordinal()).isOne();
            assertThat(memory.client()).isEqualTo("npu");
            MemorySegment pattern = npu.pattern(4000, 9);
            memory.copyFrom(0, pattern);
            assertSame(npu.read(memory, 0, 4000), pattern);
            memory.close();
            npu.npus.free(1, address);
        }
    }

    /** P9, P37, and addresses of the host. */
    @Test
    void whatNoClientOwnsIsRefused() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withDevices(2))) {
            long first = npu.npus.allocate(0, 2 << 20);
            long second = npu.npus.allocate(0, 2 << 20);
            PeerMemory memory = npu.memory;
            assertThat(second).isEqualTo(first + (2 << 20));

            assertThatThrownBy(() -> memory.wrap("npu", 0, first + 4096, 2 << 20))
                    .hasMessageContaining("no client owns the whole range");
            assertThatThrownBy(() -> memory.wrap("npu", 0, npu.arena.allocate(8).address(), 8))
                    .hasMessageContaining("no client owns the whole range");
            assertThatThrownBy(() -> memory.wrap("npu", 1, first, 8))
                    .hasMessageContaining("no client owns the whole range");
            assertThatThrownBy(() -> memory.wrap("npu", 2, first, 8))
                    .hasMessageContaining("has no device 2; it has [0, 1]");
            assertThatThrownBy(() -> memory.wrap("npu", 0, first, 0)).hasMessageContaining("length is 0");
            assertThatThrownBy(() -> memory.wrap("npu", 0, -4, 8)).hasMessageContaining("exceeds the address space");
            npu.npus.free(0, first);
            assertThatThrownBy(() -> memory.wrap("npu", 0, first, 8)).hasMessageContaining("no client owns");
            npu.npus.free(0, second);
        }
    }

    /** P36. */
    @ParameterizedTest
    @EnumSource(value = NpuMemoryKind.class, names = "DEVICE", mode = EnumSource.Mode.EXCLUDE)
    void otherKindsOfMemoryAreRefusedWithTheirReason(NpuMemoryKind kind) {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            long address = npu.npus.allocate(0, 4096, kind);
            assertThatThrownBy(() -> npu.memory.wrap("npu", 0, address, 4096))
                    .hasMessageContaining("refuses memory")
                    .hasMessageContaining(kind.refusal());
            npu.npus.free(0, address);
        }
    }

    @Test
    void hostMemoryIsCheckedBeforeACopy() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT);
                DeviceMemory memory = npu.allocate(100)) {
            assertThatThrownBy(() -> memory.copyFrom(0, MemorySegment.ofArray(new byte[8])))
                    .hasMessageContaining("source is heap memory");
            assertThatThrownBy(() -> memory.copyTo(93, npu.arena.allocate(8)))
                    .hasMessageContaining("offset 93 + length 8 lies outside its 100 bytes");
            assertThatThrownBy(() -> memory.copyTo(0, npu.arena.allocate(8).asReadOnly()))
                    .hasMessageContaining("target is read-only");
            Arena closed = Arena.ofConfined();
            MemorySegment gone = closed.allocate(8);
            closed.close();
            assertThatThrownBy(() -> memory.copyFrom(0, gone)).hasMessageContaining("the arena of source is closed");
        }
    }

    @Test
    void aDeviceWithoutMemoryRefuses() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withMemoryBytes(4 << 20))) {
            DeviceMemory all = npu.allocate(4 << 20);
            assertThatThrownBy(() -> npu.allocate(1))
                    .hasMessageContaining("lacks memory for 1 bytes; 0 are free")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.ENOMEM);
            all.close();
            npu.allocate(1).close();
            assertThatThrownBy(() -> npu.allocate(0)).hasMessageContaining("lengthBytes is 0");
        }
    }

    @Test
    void addressesThatWereFreedInPartsServeALongAllocation() {
        long granule = NpuDevice.GRANULE_BYTES;
        NpuAddresses addresses = new NpuAddresses(4 * granule);
        long[] parts = new long[4];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = addresses.take(granule);
        }
        for (int i : new int[] {2, 0, 3, 1}) {
            addresses.giveBack(parts[i], granule);
        }
        assertThat(addresses.take(granule)).as("last freed").isEqualTo(parts[1]);
        addresses.giveBack(parts[1], granule);

        assertThat(addresses.take(4 * granule)).isEqualTo(parts[0]);

        assertThatThrownBy(() -> addresses.take(1)).hasMessageContaining("no free range of 1 bytes");
        addresses.close();
    }

    /** A device that is too full for a second copy of the memory. */
    @Test
    void moveThatLacksPagesTakesNone() {
        NpuConfig config = NpuConfig.DEFAULT.withProfile(NpuProfile.DMABUF).withMemoryBytes(6 << 20);
        try (NpuFixture npu = new NpuFixture(config);
                DeviceMemory memory = npu.allocate(4 << 20)) {
            MemorySegment pattern = npu.pattern(4 << 20, 6);
            memory.copyFrom(0, pattern);

            assertThatThrownBy(() -> npu.npus.move(0, memory.address()))
                    .hasMessageContaining("lacks memory for 4194304 bytes; 2097152 are free");

            assertSame(npu.read(memory, 0, 4 << 20), pattern);
            npu.allocate(2 << 20).close();
        }
    }

    @Test
    void closedMemoryIsRefused() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT)) {
            DeviceMemory memory = npu.allocate(100);
            memory.close();
            memory.close();
            assertThatThrownBy(() -> memory.copyFrom(0, npu.arena.allocate(8))).hasMessageContaining("is closed");
            assertThatThrownBy(memory::flush).hasMessageContaining("is closed");
        }
    }

    @Test
    void memoryMayBeClosedAfterItsLibrary() {
        NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT);
        DeviceMemory memory = npu.allocate(100);
        MemorySegment host = npu.pattern(8, 1);
        memory.copyFrom(0, host);
        npu.memory.close();

        assertThatThrownBy(() -> memory.copyFrom(0, host)).hasMessageContaining("is closed");
        assertThatThrownBy(() -> memory.pin(true, List.of())).hasMessageContaining("no client 'npu'");
        memory.close();
        npu.arena.close();
    }

    /** Device lost: copies fail, and the host part goes on. */
    @Test
    void copiesOfALostDeviceFail() {
        try (NpuFixture npu = new NpuFixture(NpuConfig.DEFAULT.withDevices(2))) {
            DeviceMemory memory = npu.allocate(100);
            npu.npus.lose(0);
            assertThatThrownBy(() -> memory.fill(0, 100, (byte) 1))
                    .isInstanceOf(UrmaException.class)
                    .hasMessageContaining("simulated NPU 0: is lost");
            assertThatThrownBy(() -> npu.allocate(1)).hasMessageContaining("is lost");
            npu.memory.allocate("npu", 1, 8).close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, devices is 0",
        "x, must be a number",
        "1;page=5000, must be a power of two",
        "1;profile=tpu, unknown profile 'tpu'",
        "1;speed=1, unknown name 'speed'",
        "1;latency=5, needs a unit",
        "1;alignment=2, must be 1 or 4 or 32",
        "1;memory=4K, memory is 4096 bytes",
        "1;memory=99999999999999999999, must be a number",
        "1;, is no name=value",
        "17, devices is 17",
    })
    void aWrongSettingIsNamed(String setting, String message) {
        assertThatThrownBy(() -> NpuConfig.parse(setting.replace(';', ',')))
                .hasMessageContaining(message.replace(" 1 or 4 or 32", " 1, 4 or 32"));
    }

    @Test
    void aSettingIsRead() {
        assertThat(
                        NpuConfig.parse(
                                "3,profile=dmabuf,memory=1G,page=8K,window=1M,rate=4G,latency=20us,alignment=4,stale=true,seed=9"))
                .isEqualTo(new NpuConfig(
                        3, NpuProfile.DMABUF, 1L << 30, 8192, 1 << 20, 4L << 30, 20_000, 4, true, false, 9));
    }

    @Test
    void theOrderOfASettingDoesNotMatter() {
        NpuConfig config = NpuConfig.parse("1,profile=ascend,page=4K,window=4K");

        assertThat(config.pageBytes()).isEqualTo(4096);
        assertThat(NpuConfig.parse("1,page=4K,profile=ascend,window=4K")).isEqualTo(config);
        assertThat(NpuConfig.parse("1,window=4K, page=4K, profile=ascend")).isEqualTo(config);
    }
}
